// The local part of the address to which bounces return: it names the recipient, and is signed, so that no one can report a bounce of mail that was
// never sent to them.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Database } from '../../db/database.ts'
import { toKeyObject } from '../../lib/crypto/keys.ts'
import { isId } from '../../lib/ids.ts'
import { returnPathHost } from '../domains/records/wanted-records.ts'
import type { KeyVersions } from '../secrets/data-keys.ts'

export type ReturnPathTokens = {
  /** 56 letters and digits; the same for the recipient as long as the same version signs. */
  create(recipientId: string): string
  /** The recipient's id, from a token that any known version has signed, in any case; null if it is none. */
  read(token: string): string | null
}

/** `versionsOf` is called each time, because versions come and go while the process runs. */
export function createReturnPathTokens(versionsOf: () => KeyVersions): ReturnPathTokens {
  return {
    create(recipientId) {
      const { signing, keys } = versionsOf()
      const key = signing === null ? undefined : keys.get(signing)
      if (signing === null || !key) throw new Error('There is no data key for return paths')
      return encoded(signed(key, Buffer.concat([versionBytes(signing), idBytes(recipientId)])))
    },

    read(token) {
      const bytes = decoded(token)
      if (bytes === null) return null
      const named = bytes.subarray(0, NAMED_BYTES)
      const key = versionsOf().keys.get(named.readUIntBE(0, VERSION_BYTES))
      if (key === undefined || !timingSafeEqual(bytes, signed(key, named))) return null
      return idOf(named.subarray(VERSION_BYTES))
    },
  }
}

const VERSION_BYTES = 3
const ID_BYTES = 16
const NAMED_BYTES = VERSION_BYTES + ID_BYTES
/** Half of the hash, which RFC 2104, section 5, allows. The whole of it would not fit into a local part (RFC 5321, section 4.5.3.1.1). */
const MAC_BYTES = 16
const TOKEN_BYTES = NAMED_BYTES + MAC_BYTES
/** Five bits a character, with none to spare, so that each token is written in one way only. */
const TOKEN_LENGTH = (TOKEN_BYTES * 8) / 5
const TOKEN = /^[0-9a-v]+$/i

const signed = (key: Buffer, named: Buffer): Buffer =>
  Buffer.concat([named, createHmac('sha256', toKeyObject(key)).update(named).digest().subarray(0, MAC_BYTES)])

function versionBytes(version: number): Buffer {
  const bytes = Buffer.alloc(VERSION_BYTES)
  bytes.writeUIntBE(version, 0, VERSION_BYTES)
  return bytes
}

function idBytes(id: string): Buffer {
  if (!isId(id)) throw new RangeError('A return path names a recipient by its id')
  return Buffer.from(id.replaceAll('-', ''), 'hex')
}

const idOf = (bytes: Buffer): string => bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

/** Base32 with the letters of RFC 4648, section 7, in lower case: mail servers may change the case. JavaScript has it for numbers. */
const encoded = (bytes: Buffer): string =>
  BigInt(`0x${bytes.toString('hex')}`)
    .toString(32)
    .padStart(TOKEN_LENGTH, '0')

function decoded(text: string): Buffer | null {
  if (text.length !== TOKEN_LENGTH || !TOKEN.test(text)) return null
  const value = [...text].reduce((sum, digit) => sum * 32n + BigInt(Number.parseInt(digit, 32)), 0n)
  return Buffer.from(value.toString(16).padStart(TOKEN_BYTES * 2, '0'), 'hex')
}

export function returnPathHostRepository({ tables }: Pick<Database, 'tables'>) {
  return {
    /** Whether bounces of a verified domain return to this host, a lower-case A-label. Crosses teams: mail names none. */
    async isOneAcrossTeams(host: string): Promise<boolean> {
      const domains = await tables.domain.findMany({
        where: { name: { in: parentsOf(host) }, ownsName: true, sending: true },
        select: { name: true, returnPath: true },
      })
      return domains.some((domain) => returnPathHost(domain) === host)
    },
  }
}

/** `b.c.d` and `c.d` for a.b.c.d. */
function parentsOf(host: string): string[] {
  const labels = host.split('.')
  return labels.slice(1, -1).map((_label, index) => labels.slice(index + 1).join('.'))
}
