// The secrets with which webhooks are signed, as their owners see them (`whsec_` and base64, as Standard Webhooks writes them) and as they are stored.
import { createHmac, randomBytes } from 'node:crypto'
import { toKeyObject } from '../../lib/crypto/keys.ts'
import { seal, unseal } from '../../lib/crypto/sealing.ts'
import type { KeyVersions } from '../secrets/data-keys.ts'

/** The official service uses as many bytes. */
const SECRET_BYTES = 24
const PREFIX = 'whsec_'

export type SealedSecret = {
  sealed: Uint8Array<ArrayBuffer>
  /** The version of the data key `webhook`. */
  keyVersion: number
}

export type WebhookSecretBox = {
  /** A new secret, as its owner sees it and as it is stored. */
  create(webhookId: string): { shown: string; sealed: SealedSecret }
  /** Null if the data key is not known, or the secret was changed or belongs to another webhook. */
  open(webhookId: string, secret: SealedSecret): Buffer | null
}

/** `versionsOf` is called each time, because versions come and go while the process runs. */
export function createWebhookSecrets(versionsOf: () => KeyVersions): WebhookSecretBox {
  /** The messages that are sent together share their secret: it is opened once for all of them. */
  const opened = new WeakMap<SealedSecret, { webhookId: string; secret: Buffer }>()

  return {
    create(webhookId) {
      const { signing, keys } = versionsOf()
      const key = signing === null ? undefined : keys.get(signing)
      if (signing === null || !key) throw new Error('There is no data key for the secrets of webhooks')
      const secret = randomBytes(SECRET_BYTES)
      return { shown: shownSecret(secret), sealed: { sealed: seal(key, secret, contextOf(webhookId)), keyVersion: signing } }
    },
    open(webhookId, sealedSecret) {
      const known = opened.get(sealedSecret)
      if (known?.webhookId === webhookId) return known.secret
      const { sealed, keyVersion } = sealedSecret
      const key = versionsOf().keys.get(keyVersion)
      const secret = key ? unseal(key, sealed, contextOf(webhookId)) : null
      if (secret) opened.set(sealedSecret, { webhookId, secret })
      return secret
    },
  }
}

export const shownSecret = (secret: Buffer): string => `${PREFIX}${secret.toString('base64')}`

/** The bytes of a secret that its owner has. */
export const secretOfShown = (shown: string): Buffer => Buffer.from(shown.slice(PREFIX.length), 'base64')

/**
 * The signatures of a message by each of these secrets, as one header (Standard Webhooks, section "Signature scheme").
 *
 * @param seconds when it is sent, in seconds of the Unix epoch
 */
export const webhookSignatures = (
  secrets: readonly Buffer[],
  { id, seconds, body }: { id: string; seconds: number; body: string },
): string =>
  secrets.map((secret) => `v1,${createHmac('sha256', toKeyObject(secret)).update(`${id}.${seconds}.${body}`).digest('base64')}`).join(' ')

/** The headers of a signed request, under the names of both: the official clients, and Standard Webhooks. */
export function signedHeaders(secrets: readonly Buffer[], message: { id: string; seconds: number; body: string }): Record<string, string> {
  const { id, seconds } = message
  const values = Object.entries({ id, timestamp: String(seconds), signature: webhookSignatures(secrets, message) })
  return Object.fromEntries(SIGNED_HEADER_PREFIXES.flatMap((prefix) => values.map(([name, value]) => [prefix + name, value])))
}

export const SIGNED_HEADER_PREFIXES = ['svix-', 'webhook-']

const contextOf = (webhookId: string): string => `webhook secret ${webhookId.toLowerCase()}`
