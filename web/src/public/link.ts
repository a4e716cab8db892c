import '../styles/tokens.css';
import '../styles/base.css';
import './public.css';
import { mount } from 'svelte';
import Link from './Link.svelte';
import { language } from './words.ts';

document.documentElement.lang = language;
mount(Link, { target: document.getElementById('app')! });
