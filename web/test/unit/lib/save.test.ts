import { expect, it } from 'vitest';
import { csv } from '../../../src/lib/save.ts';

it('writes rows as CSV that no spreadsheet takes for formulas', async () => {
  const rows = [
    { name: 'Anna "A", admin', note: null },
    { name: '=HYPERLINK("http://elsewhere.example")', note: '-1' },
  ];
  expect(await csv(['name', 'note'], rows).text()).toBe(
    'name,note\r\n"Anna ""A"", admin",""\r\n"\'=HYPERLINK(""http://elsewhere.example"")","\'-1"\r\n',
  );
});
