import { expect, test } from 'vitest';
import { licenceOf, notices } from '../../../build/licences.ts';
import { packed } from '../../../build/words.ts';
import { named } from '../../../src/lib/named.ts';
import { de } from '../../../src/locales/de.ts';
import { en } from '../../../src/locales/en.ts';

test('a language without its keys has the same words', () => {
  expect(named(packed(de, Object.keys(en)) as string[])).toEqual(de);
  expect(named(de)).toEqual(de);
});

test('licences are known by their words', () => {
  expect(licenceOf('The MIT License\nPermission is hereby granted, free of\ncharge, to any person')).toBe('MIT');
  expect(licenceOf('Apache License\n   Version 2.0, January 2004')).toBe('Apache-2.0');
  const bsd = 'Redistribution and use in source and binary forms, with or without';
  expect(licenceOf(bsd)).toBe('BSD-2-Clause');
  expect(licenceOf(`${bsd} ... Neither the name of Google`)).toBe('BSD-3-Clause');
  const eclipse = 'the terms of the Eclipse Public License v2.0\nand Eclipse Distribution License v1.0 which';
  expect(licenceOf(eclipse)).toBe('EPL-2.0 OR BSD-3-Clause');
  expect(licenceOf('All rights reserved')).toBe('see below');
});

test('every part is listed, and a text that several have is there once', () => {
  const text = notices([
    { name: 'b', version: '2', licence: 'MIT', texts: ['the words'] },
    { name: 'a', version: '1', licence: 'MIT', texts: ['the words'] },
  ]);
  expect(text).toMatch(/^a 1 +MIT\nb 2 +MIT$/m);
  expect(text.split('the words')).toHaveLength(2);
});
