// Server-sent events as they come off the wire, in pieces of any size.

/** Message is one event of a stream; id stays the last one that was sent. */
export type Message = { id: string; event: string; data: string };

/** Parser takes pieces of text and gives the messages that they complete. */
export class Parser {
  /** id is the last id seen, also of a message without data such as a heartbeat. */
  id = '';
  private rest = '';
  private event = '';
  private data: string[] = [];

  push(piece: string): Message[] {
    const lines = (this.rest + piece).split(/\r\n|\n|\r/);
    this.rest = lines.pop() ?? '';
    const out: Message[] = [];
    for (const line of lines) {
      if (line === '') this.finish(out);
      else this.field(line);
    }
    return out;
  }

  private field(line: string): void {
    const colon = line.indexOf(':');
    if (colon === 0) return; // a comment
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'id') this.id = value;
    else if (name === 'event') this.event = value;
    else if (name === 'data') this.data.push(value);
  }

  private finish(out: Message[]): void {
    if (this.data.length > 0) out.push({ id: this.id, event: this.event || 'message', data: this.data.join('\n') });
    this.event = '';
    this.data = [];
  }
}
