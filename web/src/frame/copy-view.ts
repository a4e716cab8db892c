import { t } from '../lib/i18n.svelte.ts';
import { viewLink } from '../lib/view.ts';
import { toast } from '../ui/toast.svelte.ts';

/** Copies a link to what is shown now. */
export async function copyView(): Promise<void> {
  await navigator.clipboard.writeText(viewLink());
  toast(t('keys.viewCopied'));
}
