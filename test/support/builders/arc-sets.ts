// Messages with one ARC set (RFC 8617). A test can change its tags before they are signed.
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { publicKeyText } from '../../../src/lib/signing/key-pairs.ts'

const { publicKey, privateKey } = generateKeyPairSync('ed25519')

export const ARC_SIGNER = 'list.example'
export const arcKeyName = `arc._domainkey.${ARC_SIGNER}`
export const arcKeyRecord = `v=DKIM1; k=ed25519; p=${publicKeyText(publicKey)}`

const COMMON = `i=1; a=ed25519-sha256; d=${ARC_SIGNER}; s=arc`
const RESULTS = 'ARC-Authentication-Results: i=1; mx.example.com; spf=pass'

type Changes = {
  /** Changes the tags of ARC-Message-Signature. */
  message?: (tags: string) => string
  /** Changes the tags of ARC-Seal. */
  seal?: (tags: string) => string
}

const unchanged = (tags: string) => tags

/** `message`: a head with `From`, `To` and `Subject`, each in one line, and a body that ends with one line break. */
export function withArcSet(message: string, { message: changeMessage = unchanged, seal: changeSeal = unchanged }: Changes = {}): string {
  const [head = '', body = ''] = message.split('\r\n\r\n')
  const bodyHash = createHash('sha256').update(body).digest('base64')
  const names = ['from', 'to', 'subject']
  const covered = names.map((name) => String(head.split('\r\n').find((line) => line.toLowerCase().startsWith(`${name}:`))))
  const tags = changeMessage(`${COMMON}; c=relaxed/relaxed; h=${names.join(':')}; bh=${bodyHash}; b=`)
  const isEmptyList = /[hH]= ?;/.test(tags)
  const messageSignature = signedField(`ARC-Message-Signature: ${tags}`, isEmptyList ? [] : covered)
  const seal = signedField(`ARC-Seal: ${changeSeal(`${COMMON}; t=1700000000; cv=none; b=`)}`, [RESULTS, messageSignature])
  return [seal, messageSignature, RESULTS, message].join('\r\n')
}

function signedField(unsigned: string, before: readonly string[]): string {
  const canonical = [...before, unsigned].map(relaxed).join('\r\n')
  return `${unsigned}${sign(null, createHash('sha256').update(canonical).digest(), privateKey).toString('base64')}`
}

/** RFC 6376, section 3.4.2. */
function relaxed(line: string): string {
  const colon = line.indexOf(':')
  return `${line.slice(0, colon).toLowerCase()}:${line
    .slice(colon + 1)
    .replaceAll(/\s+/g, ' ')
    .trim()}`
}
