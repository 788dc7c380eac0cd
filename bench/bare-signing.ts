// What the processor allows at most: RSA signatures alone, as many at once as libuv has threads for.
import { sign } from 'node:crypto'
import { promisify } from 'node:util'
import { createRsaKeyPair } from '../src/lib/crypto/keys.ts'
import { machineMs } from './sink.ts'

const AT_ONCE = 4
/** The length of what is signed of the head of a message. */
const SIGNED = Buffer.alloc(1_000, 'x')

const signWith = promisify(sign)

/** Signatures a second. */
export async function measureBareSigning(seconds: number): Promise<number> {
  const { privateKey } = await createRsaKeyPair()
  const startedMs = machineMs()
  const endsMs = startedMs + seconds * 1_000
  let count = 0
  async function signOn(): Promise<void> {
    for (; machineMs() < endsMs; count += 1) await signWith('sha256', SIGNED, privateKey)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, signOn))
  return (count / (machineMs() - startedMs)) * 1_000
}
