// Signers with keys of their own, and a DNS that publishes these keys, for mailauth.
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { DNSResolver } from 'mailauth'
import { type DkimAlgorithm, publicKeyText } from '../../../src/lib/signing/key-pairs.ts'
import type { DkimSigner } from '../../../src/mail/dkim/signature-fields.ts'

export type TestSigners = { rsa: DkimSigner; ed25519: DkimSigner; both: DkimSigner[]; records: Record<string, string> }

export function createTestSigners(domain = 'example.com'): TestSigners {
  const rsaPair = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const edPair = generateKeyPairSync('ed25519')
  const signer = (selector: string, algorithm: DkimAlgorithm, privateKey: KeyObject) => ({ domain, selector, algorithm, privateKey })
  const rsa = signer('ph1', 'rsa-sha256', rsaPair.privateKey)
  const ed25519 = signer('ph2', 'ed25519-sha256', edPair.privateKey)
  return {
    rsa,
    ed25519,
    both: [rsa, ed25519],
    records: {
      [`ph1._domainkey.${domain}`]: `v=DKIM1; k=rsa; p=${publicKeyText(rsaPair.publicKey)}`,
      [`ph2._domainkey.${domain}`]: `v=DKIM1; k=ed25519; p=${publicKeyText(edPair.publicKey)}`,
    },
  }
}

/** TXT records by their names. Nothing else exists. */
export function resolverOf(records: Record<string, string>): DNSResolver {
  return async (name, type) => {
    const record = type === 'TXT' ? records[name] : undefined
    if (record === undefined) throw Object.assign(new Error(`No ${type} record at ${name}`), { code: 'ENOTFOUND' })
    return [[record]]
  }
}
