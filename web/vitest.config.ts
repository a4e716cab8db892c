import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';
import { basemap } from './build/basemap.ts';

export default defineConfig({ plugins: [svelte(), basemap()], test: { include: ['test/unit/**/*.test.ts'] } });
