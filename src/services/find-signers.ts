// Finds what signs the mail of a domain. Every message asks, so the opened keys are remembered for a while.
import type { Context } from '../context.ts'
import type { Clock } from '../lib/clock.ts'
import { createExpiringCache } from '../lib/expiring-cache.ts'
import type { KeyVersions } from '../lib/signing/data-keys.ts'
import { openPrivateKey } from '../lib/signing/private-keys.ts'
import type { DkimSigner } from '../mail/dkim/signature-fields.ts'

export type SignerSearchOptions = {
  findDomain: (teamId: string, name: string) => Promise<{ id: string } | null>
  dkimKeys: Pick<Context['repositories']['dkimKeys'], 'signingKeysOf'>
  /** The data keys of the moment. */
  versionsOf: () => KeyVersions
  clock: Clock
  log: Pick<Context['log'], 'error'>
}

type Signers = readonly DkimSigner[]

/** Mail is signed with a new key, and no longer with a retired one, within this time. */
const SIGNERS_MS = 10_000

/** The two keys of a domain take about 10 KB once they are opened. */
const DOMAINS_MAX = 2_000

export function createSignerSearch(options: SignerSearchOptions): Context['signersOf'] {
  const { findDomain, dkimKeys, versionsOf, clock, log } = options
  const known = createExpiringCache<Signers>({ entriesMax: DOMAINS_MAX, clock })
  const running = new Map<string, Promise<Signers>>()

  async function search(teamId: string, fromDomain: string): Promise<Signers> {
    const domain = await findDomain(teamId, fromDomain)
    const keys = domain === null ? [] : await dkimKeys.signingKeysOf(teamId, domain.id)
    return keys.flatMap(({ id, selector, algorithm, privateKey: sealed, keyVersion }) => {
      const privateKey = openPrivateKey(versionsOf(), id, { sealed, keyVersion })
      if (privateKey) return [{ domain: fromDomain, selector, algorithm, privateKey }]
      // Mail with one signature less is better than none.
      log.error({ teamId, dkimKeyId: id, keyVersion }, 'private key of a domain not opened, mail is not signed with it')
      return []
    })
  }

  async function searchOnce(key: string, teamId: string, fromDomain: string): Promise<Signers> {
    const signers = await search(teamId, fromDomain)
    known.set(key, signers, SIGNERS_MS)
    return signers
  }

  return async (teamId, fromDomain) => {
    const key = `${teamId} ${fromDomain}`
    const found = known.get(key) ?? running.get(key)
    if (found !== undefined) return found
    const searching = searchOnce(key, teamId, fromDomain).finally(() => running.delete(key))
    running.set(key, searching)
    return searching
  }
}
