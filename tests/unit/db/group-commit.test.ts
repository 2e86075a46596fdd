import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createGroup, listGroups } from "#app/db/repositories/groups.server.ts";
import { findRecord, saveRecord } from "#app/db/repositories/oidc-records.server.ts";
import { openStore } from "#app/db/store.server.ts";
import { createDatabase } from "#tests/support/databases.ts";
import { now } from "./rows.ts";

async function open() {
  const database = await createDatabase("sqlite");
  const [store, secondStore] = await Promise.all([openStore(database.target), openStore(database.target)]);
  onTestFinished(async () => {
    await Promise.all([store.close(), secondStore.close()]);
    await database.remove();
  });
  const file = database.target.dialect === "sqlite" ? database.target.file : "";
  return { store, witness: secondStore, file };
}

function group(name: string) {
  return { id: name, name, createdAt: now };
}

const many = Array.from({ length: 50 }, (_, index) => `group ${index}`);

describe("commits of a SQLite store", () => {
  test("what is written at once is committed at once, and answered only then", async () => {
    const { store, witness: secondStore } = await open();
    const writes = many.map((name, index) =>
      index % 2 ? createGroup(store, group(name)) : store.tx((tx) => createGroup(tx, group(name))),
    );
    await Promise.race(writes);
    expect(await listGroups(secondStore)).toHaveLength(many.length);
    await Promise.all(writes);
  });

  test("a read that meets unfinished writes is answered after their commit", async () => {
    const { store, witness: secondStore } = await open();
    const writing = createGroup(store, group("office"));
    const seen = await listGroups(store);
    expect(await listGroups(secondStore)).toEqual(seen);
    await writing;
  });

  test("what one undoes is undone for it alone", async () => {
    const { store } = await open();
    const writes = many.map((name, index) =>
      store.tx(async (tx) => {
        await createGroup(tx, group(name));
        if (index % 3 === 0) throw new Error("changed my mind");
      }),
    );
    const results = await Promise.allSettled(writes);
    const kept = many.filter((_, index) => results[index]?.status === "fulfilled");
    expect(kept).toHaveLength(33);
    expect((await listGroups(store)).map((row) => row.name).sort()).toEqual(kept.sort());
  });

  test("a statement that fails takes no other with it", async () => {
    const { store } = await open();
    const results = await Promise.allSettled(["a", "b", "b", "c"].map((name) => createGroup(store, group(name))));
    expect(results.map((result) => result.status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
    expect(await listGroups(store)).toHaveLength(3);
  });

  test("on a full disk nobody is told that what is lost is kept, and the store goes on when there is room", async () => {
    const { store, witness: secondStore } = await open();
    await store.execute("PRAGMA max_page_count = 100");
    const sizes = Array.from({ length: 40 }, (_, index) => (index % 4 === 3 ? 200_000 : 10));
    const write = (size: number, index: number) => {
      const record = { model: "Session", id: `${index}`, payload: { text: "x".repeat(size) } };
      return index % 2 ? saveRecord(store, record) : store.tx((tx) => saveRecord(tx, record));
    };
    const results = await Promise.allSettled(sizes.map(write));
    expect(new Set(results.map((result) => result.status))).toContain("rejected");
    for (const [index, { status }] of results.entries()) {
      const found = await findRecord(secondStore, "Session", `${index}`);
      expect(found !== null, `record ${index}`).toBe(status === "fulfilled");
    }
    await store.execute("PRAGMA max_page_count = 100000");
    await write(200_000, 99);
    expect(await findRecord(secondStore, "Session", "99")).not.toBeNull();
  });

  test("every caller whose write is lost on a full disk is refused", async () => {
    const { store, witness: secondStore } = await open();
    await store.execute("PRAGMA max_page_count = 100");
    // Without RETURNING: on a full disk SQLite then rolls back the whole transaction, not only the statement.
    const write = async (id: string, size: number) => {
      const { oidcRecords } = store.t;
      await store.q.insert(oidcRecords).values({ model: "Session", id, payload: { text: "x".repeat(size) } });
    };
    const results = await Promise.allSettled([write("small", 10), write("large", 600_000)]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await findRecord(secondStore, "Session", "small")).toBeNull();
  });

  test("work that is confirmed at its end waits for the disk once, and is safe when it is answered", async () => {
    const { store, witness: secondStore } = await open();
    const seen = await store.withDeferredDurability(async () => {
      await createGroup(store, group("one"));
      await store.tx((tx) => createGroup(tx, group("two")));
      expect(await listGroups(store), "its own writes").toHaveLength(2);
      const safeSoFar = await listGroups(secondStore);
      await createGroup(store, group("three"));
      return safeSoFar;
    });
    expect(seen).toEqual([]);
    expect(await listGroups(secondStore)).toHaveLength(3);
  });

  test("another one's read is answered after the commit of what such work has written", async () => {
    const { store, witness: secondStore } = await open();
    const work = store.withDeferredDurability(() => createGroup(store, group("office")));
    const seen = await listGroups(store);
    expect(seen).toHaveLength(1);
    expect(await listGroups(secondStore)).toEqual(seen);
    await work;
  });

  test("work whose writes are lost on a full disk is refused, whatever it says itself", async () => {
    const { store, witness: secondStore } = await open();
    await store.execute("PRAGMA max_page_count = 100");
    // Without RETURNING: on a full disk SQLite then rolls back the whole transaction, not only the statement.
    const write = async (id: string, size: number) => {
      const { oidcRecords } = store.t;
      await store.q.insert(oidcRecords).values({ model: "Session", id, payload: { text: "x".repeat(size) } });
    };
    const response = store.withDeferredDurability(async () => {
      await write("small", 10);
      await write("large", 600_000).catch(() => {});
      return "all is well";
    });
    await expect(response).rejects.toThrow("full");
    expect(await findRecord(secondStore, "Session", "small")).toBeNull();
  });

  test("what such work leaves running waits for the disk by itself", async () => {
    const { store, witness: secondStore } = await open();
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const { later } = await store.withDeferredDurability(async () => ({
      later: ended.then(() => createGroup(store, group("later"))),
    }));
    end();
    await later;
    expect(await listGroups(secondStore)).toHaveLength(1);
  });

  test("a transaction that does nothing for ten seconds is undone, so that the others go on", async () => {
    const { store } = await open();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    let wake = () => {};
    const sleep = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const stuck = store.tx(async (tx) => {
      await createGroup(tx, group("stuck"));
      vi.advanceTimersByTime(10_000);
      await sleep;
      await createGroup(tx, group("too late"));
    });
    await createGroup(store, group("next"));
    wake();
    await expect(stuck).rejects.toMatchObject({
      cause: { message: expect.stringContaining("did nothing for too long") },
    });
    expect((await listGroups(store)).map((row) => row.name)).toEqual(["next"]);
  });

  test("nothing that was acknowledged is lost when the process is killed", async () => {
    const { witness: secondStore, file } = await open();
    const script = fileURLToPath(new URL("./write-until-killed.ts", import.meta.url));
    const child = spawn(process.execPath, ["--import", "tsx", script, file], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (output.length > 2000) child.kill("SIGKILL");
    });
    await once(child, "close");
    const acknowledged = output.split("\n").slice(0, -1);
    expect(acknowledged.length).toBeGreaterThan(100);
    const found = await Promise.all(acknowledged.map((id) => findRecord(secondStore, "AccessToken", id)));
    expect(found.filter((record) => record === null)).toEqual([]);
  });
});
