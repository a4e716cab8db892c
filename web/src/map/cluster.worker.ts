// Groups the fleet beside the main thread: an Input in, its clusters out.
import { clusters, type Input } from './cluster.ts';

self.onmessage = (message: MessageEvent<Input>) => self.postMessage(clusters(message.data));
