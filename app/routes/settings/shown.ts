import { useEffect } from "react";

/**
 * Keeps the document's title and `data-state` those of the page that is shown, also when it changes without loading a
 * document. Every page of the settings passes what it shows through here.
 */
export function useShown<View extends { title: string; state: object } | null>(view: View): View {
  useEffect(() => {
    if (!view) return;
    document.title = view.title;
    document.getElementById("root")?.setAttribute("data-state", JSON.stringify(view.state));
  }, [view]);
  return view;
}
