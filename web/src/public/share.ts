import '../styles/tokens.css';
import '../styles/base.css';
import './public.css';
import { mount } from 'svelte';
import Share from './Share.svelte';
import { language } from './words.ts';

document.documentElement.lang = language;
mount(Share, { target: document.getElementById('app')! });
