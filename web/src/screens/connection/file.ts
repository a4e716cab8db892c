// The lines of a vendor's file, with those that the last runs used.
import type { Schema } from '../../api/client.ts';

export interface Line {
  text: string;
  /** The keys of the calls that runs made by this line, such as positions.newest. */
  parts: string[];
}

/** The lines of a file. Its last line break begins no further one. */
export function linesOf(file: Pick<Schema['ConnectionFile'], 'text' | 'parts'>): Line[] {
  return (file.text ?? '')
    .replace(/\n$/, '')
    .split('\n')
    .map((text, i) => ({
      text,
      parts: file.parts.filter((p) => i + 1 >= p.from_line && i + 1 <= p.to_line).map((p) => p.part),
    }));
}
