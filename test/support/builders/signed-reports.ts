// Reports with a DKIM signature, and the DNS records of the keys.
import { generateKeyPairSync } from 'node:crypto'
import { dkimSign } from 'mailauth/lib/dkim/sign.js'
import { publicKeyText } from '../../../src/lib/signing/key-pairs.ts'

const SELECTOR = 'fbl1'

const pair = generateKeyPairSync('ed25519')
const privateKey = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

/** The key is the same for all domains. */
export const keyRecord = { TXT: [`v=DKIM1; k=ed25519; p=${publicKeyText(pair.publicKey)}`] }

/** The domain only tries whether signing works. */
export const testKeyRecord = { TXT: [`v=DKIM1; k=ed25519; t=y; p=${publicKeyText(pair.publicKey)}`] }

export const keyNameOf = (domain: string): string => `${SELECTOR}._domainkey.${domain}`

type Signing = {
  domain: string
  /** Fields that are signed, with colons between. */
  fields?: string
  /** Octets of the body that are signed; all of them if absent. */
  bodyLength?: number
  selector?: string
  at?: Date
}

export async function signed(
  message: string,
  { domain, fields = 'from:to:subject:mime-version:content-type', bodyLength, selector = SELECTOR, at }: Signing,
): Promise<string> {
  const signature = {
    signingDomain: domain,
    selector,
    privateKey,
    headerList: fields,
    ...(at !== undefined && { signTime: at }),
    ...(bodyLength !== undefined && { maxBodyLength: bodyLength }),
  }
  const { signatures } = await dkimSign(message, { ...signature, signatureData: [signature] })
  return `${signatures}${message}`
}
