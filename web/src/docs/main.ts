import '@fontsource-variable/inter/wght.css';
import '../styles/tokens.css';
import '../styles/base.css';
import './table.css';
import { mount } from 'svelte';
import Reference from './Reference.svelte';

mount(Reference, { target: document.getElementById('app')! });
