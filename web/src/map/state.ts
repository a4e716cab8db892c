// The states of a vehicle in the order in which the map's buffers number them.

/** State is what a device does, as the service judges it. */
export type State = 'driving' | 'idling' | 'stopped' | 'silent';

/** states is every state; the place of one is its number in the buffers. */
export const states: readonly State[] = ['driving', 'idling', 'stopped', 'silent'];

/** stateNumber is the number of a state in the buffers; what is unknown counts as silent. */
export function stateNumber(state: string | null | undefined): number {
  const found = states.indexOf(state as State);
  return found < 0 ? states.length - 1 : found;
}
