/** Returns the instruction that opens a client to further users. */
export function openClient(clientId: string): string {
  return `Open it: gatehouse client set ${clientId} --allow-group NAME, or --everyone`;
}
