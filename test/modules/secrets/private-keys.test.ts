import { createPublicKey, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createEd25519KeyPair, createRsaKeyPair, publicKeyText } from '../../../src/lib/crypto/keys.ts'
import { seal } from '../../../src/lib/crypto/sealing.ts'
import { type KeyVersions, openPrivateKey, sealPrivateKey } from '../../../src/modules/secrets/data-keys.ts'

const ID = '0198c0de-0000-7000-8000-000000000001'
const OTHER_ID = '0198c0de-0000-7000-8000-000000000002'
const keys = new Map([
  [1, randomBytes(32)],
  [2, randomBytes(32)],
])
const VERSIONS: KeyVersions = { signing: 2, keys }

describe('a private key', () => {
  it.each([
    ['RSA', createRsaKeyPair],
    ['Ed25519', createEd25519KeyPair],
  ])('of %s is sealed with the newest data key, and opened with the one that sealed it', async (_what, create) => {
    const { publicKey, privateKey } = await create()
    const older = sealPrivateKey({ signing: 1, keys }, ID, privateKey)
    const newer = sealPrivateKey(VERSIONS, ID, privateKey)
    expect([older.keyVersion, newer.keyVersion]).toEqual([1, 2])
    for (const stored of [older, newer]) {
      const opened = openPrivateKey(VERSIONS, ID, stored)
      expect(opened && createPublicKey(opened).equals(publicKey)).toBe(true)
    }
  })

  it('cannot be read from what is stored', async () => {
    const { privateKey } = await createEd25519KeyPair()
    const der = privateKey.export({ type: 'pkcs8', format: 'der' })
    const { sealed } = sealPrivateKey(VERSIONS, ID, privateKey)
    expect(Buffer.from(sealed).includes(der.subarray(-8))).toBe(false)
    expect(sealed).not.toEqual(sealPrivateKey(VERSIONS, ID, privateKey).sealed)
  })

  it('is not opened as another key, with another data key, or changed', async () => {
    const { privateKey } = await createEd25519KeyPair()
    const stored = sealPrivateKey(VERSIONS, ID, privateKey)
    expect(openPrivateKey(VERSIONS, OTHER_ID, stored)).toBeNull()
    expect(openPrivateKey(VERSIONS, ID, { ...stored, keyVersion: 1 })).toBeNull()
    expect(openPrivateKey(VERSIONS, ID, { ...stored, keyVersion: 3 })).toBeNull()
    for (let at = 0; at < stored.sealed.length; at += 1) {
      const sealed = Uint8Array.from(stored.sealed, (byte, index) => (index === at ? byte ^ 1 : byte))
      expect(openPrivateKey(VERSIONS, ID, { ...stored, sealed })).toBeNull()
    }
  })

  it('is not opened if what was sealed is none', () => {
    const sealed = seal(keys.get(1) ?? Buffer.alloc(32), Buffer.from('no key'), `private key ${ID}`)
    expect(openPrivateKey(VERSIONS, ID, { sealed, keyVersion: 1 })).toBeNull()
  })

  it('is not sealed without a data key', async () => {
    const { privateKey } = await createEd25519KeyPair()
    expect(() => sealPrivateKey({ signing: null, keys: new Map() }, ID, privateKey)).toThrow('There is no data key for private keys')
  })
})

it('the text of a public key is what its DKIM record holds', async () => {
  const rsa = (await createRsaKeyPair()).publicKey
  expect(createPublicKey({ key: Buffer.from(publicKeyText(rsa), 'base64'), format: 'der', type: 'spki' }).equals(rsa)).toBe(true)
  expect(rsa.asymmetricKeyDetails?.modulusLength).toBe(2_048)

  const ed25519 = (await createEd25519KeyPair()).publicKey
  expect(Buffer.from(publicKeyText(ed25519), 'base64').toString('base64url')).toBe(ed25519.export({ format: 'jwk' }).x)
})
