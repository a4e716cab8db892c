// Every screen in light and dark, on a desk and on a phone: accessible, with room for its
// words, and with PICTURES=1 kept as a picture for a person to look at.
import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { wellPlaced, widen } from './measure.ts';
import { call, colourRules, drawn, enter, open, settled, useDemo, violations, visit } from './page.ts';

/** Whether pictures are left for people to look at; tests measure the page itself. */
const pictures = Boolean(process.env.PICTURES);
const shots = new URL('../shots/', import.meta.url).pathname;
if (pictures) mkdirSync(shots, { recursive: true });

async function picture(page: Page, name: string): Promise<void> {
  if (pictures) await page.screenshot({ path: `${shots}${name}.png` });
}

async function twoTrips(): Promise<string> {
  const [a, b] = (await call('/trip?limit=2')).data as { id: string }[];
  return `a=${a?.id}&b=${b?.id}`;
}

async function screens(): Promise<[name: string, path: string][]> {
  const first = async (path: string) => (await call(path)).data[0].id as string;
  const underWay = await first('/milestone?status=trip_in_progress');
  const connections = (await call('/connection')).data as {
    id: string;
    integration_name: string;
    configuration: { health: string };
  }[];
  const failing = connections.find((c) => c.configuration.health === 'failing')?.id;
  const lacking = connections.find((c) => c.integration_name === 'geotab')?.id;
  return [
    ['overview', '/console/'],
    ['map', '/console/map'],
    ['device', `/console/device/${(await call('/trip?limit=1')).data[0].device_id}?levels=1`],
    ['device-notes', `/console/device/${await first('/device?limit=1')}?tab=notes`],
    ['devices', '/console/device'],
    ['device-rules', `/console/device/${await first('/device?limit=1')}?tab=rules`],
    ['trips', '/console/trip'],
    ['trips-compared', `/console/trip/compare?${await twoTrips()}`],
    ['trip', `/console/trip/${await first('/trip?limit=1')}`],
    ['trip-invalid', `/console/trip/${await first('/trip?limit=1&is_valid=false')}`],
    ['milestones', '/console/milestone'],
    ['milestones-table', '/console/milestone?view=table'],
    ['milestone', `/console/milestone/${underWay}`],
    ['faults', '/console/fault?status=any'],
    ['safety', '/console/fault?show=safety'],
    ['drivers', '/console/driver'],
    ['driver', `/console/driver/${await first('/driver?limit=1')}`],
    ['connection-coverage', `/console/connection/${lacking}?tab=coverage`],
    ['connections', '/console/connection'],
    ['connection', `/console/connection/${await first('/connection')}`],
    ['connection-failing', `/console/connection/${failing}`],
    ['connection-settings', `/console/connection/${await first('/connection')}?tab=settings`],
    ['connection-new', '/console/connection/new'],
    ['connection-credentials', '/console/connection/new?provider=samsara'],
    ['webhooks', '/console/webhook'],
    ['webhook', `/console/webhook/${await first('/webhook')}`],
    ['webhook-verify', `/console/webhook/${await first('/webhook')}?tab=verify`],
    ['webhook-new', '/console/webhook?new=1'],
    ['stops', '/console/trip?show=stops'],
    ['milestones-map', '/console/milestone?view=map'],
    ['milestone-new', '/console/milestone?new=1'],
    ['milestone-share', `/console/milestone/${underWay}?share=1`],
    ['connection-sharing', `/console/connection/${await first('/connection')}?tab=sharing`],
    ['connection-quality', `/console/connection/${await first('/connection')}?tab=quality`],
    ['connection-history', `/console/connection/${await first('/connection')}?tab=history`],
    ['connection-invite', '/console/connection?invite=1'],
    ['events', '/console/event'],
    ['exports', '/console/export'],
    ['export-new', '/console/export?new=1'],
    ['time-use', '/console/export?tab=reports'],
    ['settings', '/console/settings'],
    ...['rules', 'users', 'keys', 'audit', 'brand', 'shares', 'limits', 'system'].map((tab): [string, string] => [
      `settings-${tab}`,
      `/console/settings?tab=${tab}`,
    ]),
    ['missing', '/console/nowhere'],
  ];
}

/**
 * Tests one half of all screens; each file of tests has a demo of its own. A screen is opened once, and is then
 * seen at four widths and in both looks: loading it, with its maps, is what takes time.
 */
export function everyScreen(half: 0 | 1): void {
  useDemo();
  const looks = [false, true].map((dark) => ({ dark, name: dark ? 'dark' : 'light' }));

  for (const { dark, name } of looks) {
    const width = half ? 390 : 1280;
    test(`sign-in, ${name} at ${width}`, async () => {
      const page = await open('/console/', { width, dark });
      await page.locator('[name=username]').waitFor();
      expect(await violations(page)).toEqual([]);
      await picture(page, `signin-${name}-${width}`);
    });
  }

  test('every screen, light and dark, on a desk and on a phone', { timeout: 900_000 }, async () => {
    const page = await enter('/console/', { fine: pictures });
    const seen = async (screen: string, width: number) => {
      let colours: string[] = [];
      for (const { dark, name } of looks) {
        const at = `${screen}, ${name} at ${width}`;
        await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
        await settled(page);
        colours = await drawn(page, colours);
        await picture(page, `${screen}-${name}-${width}`);
        // Rows are alike: after the first look a dozen of them is enough.
        const again = dark || width < 1280 ? { rows: 12 } : {};
        expect.soft(await violations(page, dark ? { ...again, only: colourRules } : again), at).toEqual([]);
      }
    };
    for (const [screen, path] of (await screens()).filter((_, i) => i % 2 === half)) {
      await page.emulateMedia({ colorScheme: 'light' });
      await widen(page, 1280);
      await visit(page, path);
      await seen(screen, 1280);
      await wellPlaced(page, screen, [1280, 1920, 768, 390]);
      await seen(screen, 390);
    }
  });
}
