// A device with passkeys, as small as Web Authentication allows: ES256, no statement about its maker. What a test wants to be wrong can be told to it.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

const hash = (bytes: string | Buffer): Buffer => createHash('sha256').update(bytes).digest()
const PRESENT = 0x01
const VERIFIED = 0x04
const WITH_CREDENTIAL = 0x40

/** What the browser and the device would say otherwise. */
export type Wrong = {
  origin?: string
  rpId?: string
  isVerified?: boolean
  counter?: number
  challenge?: string
  userHandle?: string | null
  type?: string
}

export type Options = { challenge: string; rp?: { id: string }; rpId?: string; user?: { id: string } }

/** One passkey. It counts its uses, unless `counts` is false, as many do. */
export function createAuthenticator({ origin, counts = true }: { origin: string; counts?: boolean }) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(16)
  let counter = 0
  let userHandle: string | null = null

  const clientData = (type: string, { challenge }: Options, wrong: Wrong): Buffer =>
    Buffer.from(
      JSON.stringify({
        ...{ type: wrong.type ?? type, challenge: wrong.challenge ?? challenge },
        ...{ origin: wrong.origin ?? origin, crossOrigin: false },
      }),
    )

  /** Web Authentication, section 6.1. */
  function authenticatorData({ rp, rpId }: Options, wrong: Wrong, credential: Buffer = Buffer.alloc(0)): Buffer {
    if (counts) counter += 1
    const flags = PRESENT | (wrong.isVerified === false ? 0 : VERIFIED) | (credential.length > 0 ? WITH_CREDENTIAL : 0)
    const count = Buffer.alloc(4)
    count.writeUInt32BE(wrong.counter ?? counter)
    return Buffer.concat([hash(wrong.rpId ?? rp?.id ?? rpId ?? ''), Buffer.of(flags), count, credential])
  }

  return {
    id: id.toString('base64url'),

    /** What `navigator.credentials.create()` would give. */
    create(options: Options, wrong: Wrong = {}) {
      userHandle = options.user?.id ?? null
      const length = Buffer.alloc(2)
      length.writeUInt16BE(id.length)
      const data = authenticatorData(options, wrong, Buffer.concat([Buffer.alloc(16), length, id, coseKey(publicKey)]))
      const clientDataJSON = clientData('webauthn.create', options, wrong)
      return answer({
        clientDataJSON: clientDataJSON.toString('base64url'),
        attestationObject: attestation(data),
        transports: ['internal'],
      })
    },

    /** What `navigator.credentials.get()` would give. */
    get(options: Options, wrong: Wrong = {}) {
      const data = authenticatorData(options, wrong)
      const clientDataJSON = clientData('webauthn.get', options, wrong)
      return answer({
        clientDataJSON: clientDataJSON.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', Buffer.concat([data, hash(clientDataJSON)]), privateKey).toString('base64url'),
        userHandle: wrong.userHandle === undefined ? userHandle : wrong.userHandle,
      })
    },
  }

  function answer<Response extends object>(response: Response) {
    const text = id.toString('base64url')
    return { id: text, rawId: text, type: 'public-key', clientExtensionResults: {}, response }
  }
}

/** CBOR: { fmt: "none", attStmt: {}, authData }. */
function attestation(data: Buffer): string {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(data.length)
  const head = Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746159', 'hex')
  return Buffer.concat([head, length, data]).toString('base64url')
}

/** CBOR: { 1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y }. */
function coseKey(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const [head, between] = [Buffer.from('a5010203262001215820', 'hex'), Buffer.from('225820', 'hex')]
  return Buffer.concat([head, Buffer.from(x, 'base64url'), between, Buffer.from(y, 'base64url')])
}
