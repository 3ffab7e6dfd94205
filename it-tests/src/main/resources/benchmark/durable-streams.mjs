// The reference server with its file store, which syncs each append to the disk, and without compression, which costs
// time and saves none here. Prints its address.
import { DurableStreamTestServer } from '@durable-streams/server';

const server = new DurableStreamTestServer({
  host: '127.0.0.1',
  port: 0,
  dataDir: process.argv[2],
  compression: false,
});
console.log(await server.start());
