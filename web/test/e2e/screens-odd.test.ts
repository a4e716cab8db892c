import { everyScreen } from './screens.ts';

everyScreen(1);
