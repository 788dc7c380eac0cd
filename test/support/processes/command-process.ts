// The process of shared-command-process.ts. Only the entry, posthaste.js, is left out, and with it the reading of .env.
import { main } from '../../../src/main.ts'
import { type CommandReply, type CommandRequest, END_OF_COMMAND } from './shared-command-process.ts'

process.on('message', async ({ args, environment, folder }: CommandRequest) => {
  process.env = environment
  process.chdir(folder)
  process.exitCode = 0
  await main([process.execPath, 'posthaste.js', ...args])
  // Each command adds a listener, for a reader that closes the pipe.
  process.stdout.removeAllListeners('error')
  for (const stream of [process.stdout, process.stderr]) stream.write(END_OF_COMMAND)
  process.send?.({ status: Number(process.exitCode) } satisfies CommandReply)
})
process.on('disconnect', () => process.exit())
