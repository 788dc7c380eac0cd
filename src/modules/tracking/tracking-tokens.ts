// What the links and the images of tracked mail hold: whom they were sent to, where they lead, and at which host. Signed, so that a changed link leads
// nowhere, and that no one makes links of their own under the name of someone else. Concealed, so that it says nothing of the mail.
import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { stringify } from 'uuid'
import { toKeyObject } from '../../lib/crypto/keys.ts'
import { concealed } from '../../lib/crypto/sealing.ts'
import { shortId } from '../../lib/ids.ts'
import type { KeyVersions } from '../secrets/data-keys.ts'

/** `trap`: a link that no person can see. */
export type TrackedKind = 'open' | 'click' | 'trap'

export type TrackedLink = {
  kind: TrackedKind
  emailId: string
  recipientId: string
  /** The domain whose settings asked for it; null if the operator's did. */
  domainId: string | null
  /** Where the link leads, as the sender wrote it; empty unless it is a click. */
  target: string
}

/** `malformed`: nothing that a link of ours ever held. `forged`: no key that we have has signed it as it is. `other_host`: it was written for another host. */
export type TokenRefusal = 'malformed' | 'forged' | 'other_host'

export type TrackingTokens = {
  /**
   * Letters, digits, hyphens and underscores. Null if the target is too long to be in a link. The same as long as the same version signs.
   *
   * @param host of the link, without a port, as URLs write it
   */
  create(link: TrackedLink, host: string): string | null
  /** @param host at which the link was followed, as the request names it, without a port */
  read(token: string, host: string): TrackedLink | { refusal: TokenRefusal }
}

/** With the host before it, a link stays below the 2,048 characters that all mail programs, browsers and proxies accept. */
export const TRACKING_TOKEN_LENGTH_MAX = 1_900

/** `versionsOf` is called each time, because versions come and go while the process runs. */
export function createTrackingTokens(versionsOf: () => KeyVersions): TrackingTokens {
  return {
    create({ kind, emailId, recipientId, domainId, target }, host) {
      const { signing, keys } = versionsOf()
      const key = signing === null ? undefined : keys.get(signing)
      if (signing === null || !key) throw new Error('There is no data key for tracked links')
      const head = Buffer.alloc(HEAD_BYTES)
      head.writeUInt8(CONCEALED + KINDS.indexOf(kind), 0)
      head.writeUIntBE(signing, KIND_BYTES, VERSION_BYTES)
      for (const [index, id] of [emailId, recipientId, domainId ?? NO_DOMAIN].entries())
        head.set(Buffer.from(shortId(id), 'base64url'), IDS_START + index * ID_BYTES)
      head.set(markOf(host), HOST_START)
      const named = Buffer.concat([head, Buffer.from(target)])
      const mac = computeMac(key, named)
      const token = Buffer.concat([mac, named.subarray(0, IDS_START), concealed(key, mac, named.subarray(IDS_START))]).toString('base64url')
      return token.length <= TRACKING_TOKEN_LENGTH_MAX ? token : null
    },

    read(token, host) {
      if (token.length > TRACKING_TOKEN_LENGTH_MAX) return MALFORMED
      const bytes = Buffer.from(token, 'base64url')
      // Base64url can write the same bytes in several ways. Only the form that was handed out counts.
      if (bytes.length < MAC_BYTES + HEAD_BYTES || bytes.toString('base64url') !== token) return MALFORMED
      const mac = bytes.subarray(0, MAC_BYTES)
      const written = bytes.subarray(MAC_BYTES)
      const key = versionsOf().keys.get(written.readUIntBE(KIND_BYTES, VERSION_BYTES))
      if (key === undefined) return FORGED
      const form = written.readUInt8(0)
      const named =
        form < CONCEALED ? written : Buffer.concat([written.subarray(0, IDS_START), concealed(key, mac, written.subarray(IDS_START))])
      if (!timingSafeEqual(mac, computeMac(key, named))) return FORGED
      const kind = KINDS[form % CONCEALED]
      if (kind === undefined) return FORGED
      if (!markOf(host).equals(named.subarray(HOST_START, HEAD_BYTES))) return OTHER_HOST
      const domainId = idAt(named, 2)
      return {
        kind,
        emailId: idAt(named, 0),
        recipientId: idAt(named, 1),
        domainId: domainId === NO_DOMAIN ? null : domainId,
        target: named.toString('utf8', HEAD_BYTES),
      }
    },
  }
}

const MALFORMED = { refusal: 'malformed' } as const
const FORGED = { refusal: 'forged' } as const
const OTHER_HOST = { refusal: 'other_host' } as const

const KINDS: readonly TrackedKind[] = ['open', 'click', 'trap']

/** Added to the kind where what follows is concealed. Links in mail delivered earlier are plain: they are read, and never written. */
const CONCEALED = 0x10

const KIND_BYTES = 1
const VERSION_BYTES = 3
const ID_BYTES = 16
const IDS_START = KIND_BYTES + VERSION_BYTES
const HOST_START = IDS_START + 3 * ID_BYTES
/** Enough bytes of a host's hash that no one finds a name with the mark of another. */
const HOST_BYTES = 12
const HEAD_BYTES = HOST_START + HOST_BYTES
/** Half of the hash, which RFC 2104, section 5, allows. */
const MAC_BYTES = 16

const NO_DOMAIN = '00000000-0000-0000-0000-000000000000'

function idAt(named: Buffer, index: number): string {
  const start = IDS_START + index * ID_BYTES
  return stringify(named.subarray(start, start + ID_BYTES))
}

/** Hosts differ neither by case nor by the dot that a full name may end with (RFC 3986, section 3.2.2). */
const markOf = (host: string): Buffer => hash('sha256', host.toLowerCase().replace(/\.$/, ''), 'buffer').subarray(0, HOST_BYTES)

const computeMac = (key: Buffer, named: Buffer): Buffer =>
  createHmac('sha256', toKeyObject(key)).update(named).digest().subarray(0, MAC_BYTES)
