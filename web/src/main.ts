import '@fontsource-variable/inter/wght.css';
import './styles/tokens.css';
import './styles/base.css';
import { mount } from 'svelte';
import App from './App.svelte';
import { findSession } from './api/session.svelte.ts';
import { arriveFromProvider } from './api/sso.svelte.ts';
import { loadLanguage } from './lib/i18n.svelte.ts';
import { applyLook } from './lib/prefs.svelte.ts';
import { presentKnown } from './lib/present.ts';

applyLook();
// Screens ask for "the last seven days" as soon as they are there.
await Promise.all([loadLanguage(), presentKnown, findSession()]);
await arriveFromProvider();
mount(App, { target: document.getElementById('app')! });
