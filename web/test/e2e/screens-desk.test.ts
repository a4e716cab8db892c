import { everyScreen } from './screens.ts';

everyScreen(1280, 1920);
