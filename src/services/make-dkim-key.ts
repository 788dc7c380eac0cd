import type { Clock } from '../lib/clock.ts'
import { createId } from '../lib/ids.ts'
import type { KeyVersions } from '../lib/signing/data-keys.ts'
import { createEd25519KeyPair, type DkimAlgorithm, type KeyPair, publicKeyText } from '../lib/signing/key-pairs.ts'
import { sealPrivateKey } from '../lib/signing/private-keys.ts'
import type { NewDkimKey } from '../repositories/domains/dkim-keys.ts'

/** `teamId`: who asks for it. */
export type DkimKeyMaker = (algorithm: DkimAlgorithm, teamId: string) => Promise<NewDkimKey>

/** Makes keys that can be stored. `takeRsaKeyPair` gives away spare pairs, because RSA takes its time; `versionsOf` the data keys of the moment. */
export function createDkimKeyMaker(options: {
  takeRsaKeyPair: (asker: string) => Promise<KeyPair>
  versionsOf: () => KeyVersions
  clock: Clock
}): DkimKeyMaker {
  const { takeRsaKeyPair, versionsOf, clock } = options
  return async (algorithm, teamId) => {
    const { publicKey, privateKey } = await (algorithm === 'rsa-sha256' ? takeRsaKeyPair(teamId) : createEd25519KeyPair())
    const id = createId(clock)
    const { sealed, keyVersion } = sealPrivateKey(versionsOf(), id, privateKey)
    return { id, algorithm, publicKey: publicKeyText(publicKey), privateKey: sealed, keyVersion }
  }
}
