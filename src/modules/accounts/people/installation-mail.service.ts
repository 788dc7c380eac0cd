// Mail of the installation itself: links, invitations, codes and notices for people. It belongs to no team, and is no email of one.
import type { BaseLogger } from 'pino'
import type { Config } from '../../../config/config.ts'
import { seal, unseal } from '../../../lib/crypto/sealing.ts'
import { digestToken } from '../../../lib/ids.ts'
import { peerOf } from '../../../lib/peer-addresses.ts'
import type { KeyVersions } from '../../secrets/data-keys.ts'
import type {
  ClaimedInstallationMail,
  InstallationMailKind,
  installationMailRepository,
  SealedContent,
} from './installation-mails.repository.ts'

/**
 * `secret`: the link or code in it, empty if it has none. It opens nothing after `expiresAt`. `begin`: lets it open something; called before it is sent, and not if
 * it is not. `clientAddress`: who asked for it; null: no client did.
 */
export type InstallationMail = {
  kind: InstallationMailKind
  to: string
  subject: string
  text: string
  secret: string
  expiresAt: Date
  begin?: () => Promise<unknown>
  clientAddress?: string | null
}

export type InstallationMails = {
  /** Null: it is on its way. Over the rate, nothing is sent or begun: `nextAt` is when the next one may be. */
  send(mail: InstallationMail): Promise<{ nextAt: Date } | null>
  /** Whether such a mail was delivered once, so that people may be told to look for one. */
  isCertain(): Promise<boolean>
}

export type MailContent = Pick<InstallationMail, 'to' | 'subject' | 'text'>

/** What waits to be sent is sealed, so that nothing in the database opens anything. */
export type InstallationMailBox = {
  seal(id: string, content: MailContent): SealedContent
  /** Null if the data key is not known, or another mail was sealed. */
  open(mail: Pick<ClaimedInstallationMail, 'id' | 'content' | 'keyVersion'>): MailContent | null
}

/** `versionsOf` is called each time, because versions come and go while the process runs. */
export const createInstallationMailBox = (versionsOf: () => KeyVersions): InstallationMailBox => ({
  seal(id, { to, subject, text }) {
    const { signing, keys } = versionsOf()
    const key = signing === null ? undefined : keys.get(signing)
    if (signing === null || !key) throw new Error('There is no data key for mail of the installation')
    return { content: seal(key, Buffer.from(JSON.stringify({ to, subject, text })), contextOf(id)), keyVersion: signing }
  },
  open({ id, content, keyVersion }) {
    const key = versionsOf().keys.get(keyVersion)
    const opened = key ? unseal(key, content, contextOf(id)) : null
    // Only what was sealed here gets here.
    return opened && (JSON.parse(opened.toString()) as MailContent)
  },
})

const contextOf = (id: string): string => `installation mail ${id.toLowerCase()}`

type Parts = {
  repository: Pick<ReturnType<typeof installationMailRepository>, 'count' | 'fill' | 'wasOneDelivered'>
  box: InstallationMailBox
  config: Pick<Config, 'delivery'>
  /** Writes a line to the terminal of the start; null: there is none. */
  show: ((line: string) => void) | null
  wake: () => void
  log: Pick<BaseLogger, 'info'>
}

/** Until one was delivered, and with DELIVERY=capture, what is secret in each is shown on the terminal of the start. */
export function createInstallationMails({ repository, box, config, show, wake, log }: Parts): InstallationMails {
  let wasDelivered = false

  async function isCertain(): Promise<boolean> {
    if (config.delivery === 'capture') return false
    wasDelivered ||= await repository.wasOneDelivered()
    return wasDelivered
  }

  return {
    isCertain,
    async send({ kind, secret, begin, clientAddress = null, expiresAt, ...content }) {
      const counted = await repository.count(kind, {
        recipientDigest: digestToken(`${kind} ${content.to.toLowerCase()}`),
        clientDigest: clientAddress === null ? null : digestToken(`${kind} ${peerOf(clientAddress)}`),
        expiresAt,
      })
      if ('nextAt' in counted) {
        log.info({ kind }, 'mail of the installation not sent: the rate of its address, or of who asked for it, is used up')
        return counted
      }
      await begin?.()
      if (config.delivery !== 'capture') {
        const linkDigest = secret.includes('/') ? digestToken(secret.slice(secret.lastIndexOf('/') + 1)) : null
        await repository.fill({ id: counted.id, linkDigest, sealed: box.seal(counted.id, content) })
      }
      wake()
      if (show !== null && !(await isCertain())) show(`${content.subject} (${content.to})${secret === '' ? '' : `: ${secret}`}`)
      return null
    },
  }
}
