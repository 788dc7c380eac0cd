import { fileURLToPath } from 'node:url'

/** Compiled code, kept between the hundreds of processes that a run starts. */
const COMPILE_CACHE = fileURLToPath(new URL('../../../node_modules/.cache/posthaste-tests', import.meta.url))
/** A clock that was moved for the whole run (libfaketime) is moved for every process of it. */
const OF_THE_CLOCK = /^(LD_PRELOAD|FAKETIME.*)$/

/** What a process that a test starts gets from this one, beyond what the test gives it. */
export const inheritedEnvironment = (): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(process.env).flatMap(([name, value = '']) => (OF_THE_CLOCK.test(name) ? [[name, value]] : []))),
  PATH: process.env.PATH ?? '',
  NODE_COMPILE_CACHE: COMPILE_CACHE,
  // A free port: several services run at once.
  INBOUND_PORT: '0',
})
