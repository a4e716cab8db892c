import { everyScreen } from './screens.ts';

everyScreen(390, 768);
