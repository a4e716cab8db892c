// Files that the browser makes.

/** Lets the reader keep a file. */
export function save(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Rows as CSV. A text that a spreadsheet would take for a formula is marked as text: others have written some of them. */
export function csv<T extends object>(columns: (keyof T & string)[], rows: T[]): Blob {
  const cell = (value: unknown) => {
    const text = String(value ?? '');
    return `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
  };
  const lines = [columns.join(), ...rows.map((row) => columns.map((name) => cell(row[name])).join())];
  return new Blob([`${lines.join('\r\n')}\r\n`], { type: 'text/csv' });
}
