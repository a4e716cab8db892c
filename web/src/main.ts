import '@fontsource-variable/inter/wght.css';
import './styles/tokens.css';
import './styles/base.css';
import { mount } from 'svelte';
import App from './App.svelte';
import { loadLanguage } from './lib/i18n.svelte.ts';
import { applyLook } from './lib/prefs.svelte.ts';

applyLook();
await loadLanguage();
mount(App, { target: document.getElementById('app')! });
