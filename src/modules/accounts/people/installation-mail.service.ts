// Mail of the installation itself: links, invitations, codes and notices for people. It belongs to no team, and is no email of one.
import type { BaseLogger } from 'pino'
import type { Config } from '../../../config/config.ts'
import { seal, unseal } from '../../../lib/crypto/sealing.ts'
import { digestToken } from '../../../lib/ids.ts'
import { peerOf } from '../../../lib/peer-addresses.ts'
import type { KeyVersions } from '../../secrets/data-keys.ts'
import type { ClaimedInstallationMail, installationMailRepository, SealedContent } from './installation-mails.repository.ts'

/** `secret`: the link or code in it, empty if it has none. It opens nothing after `expiresAt`. `clientAddress`: who asked for it; null: no client did. */
export type InstallationMail = {
  to: string
  subject: string
  text: string
  secret: string
  expiresAt: Date
  clientAddress?: string | null
}

export type InstallationMails = {
  /** Over the rate, nothing is sent, and no one is told. */
  send(mail: InstallationMail): Promise<void>
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
  repository: Pick<ReturnType<typeof installationMailRepository>, 'add' | 'wasOneDelivered'>
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
    async send({ secret, clientAddress = null, expiresAt, ...content }) {
      const isSent = await repository.add({
        recipientDigest: digestToken(content.to.toLowerCase()),
        clientDigest: clientAddress === null ? null : digestToken(peerOf(clientAddress)),
        linkDigest: secret.includes('/') ? digestToken(secret.slice(secret.lastIndexOf('/') + 1)) : null,
        expiresAt,
        seal: config.delivery === 'capture' ? null : (id) => box.seal(id, content),
      })
      if (!isSent) return log.info('mail of the installation not sent: the rate of its address, or of who asked for it, is used up')
      wake()
      if (show !== null && !(await isCertain())) show(`${content.subject} (${content.to})${secret === '' ? '' : `: ${secret}`}`)
    },
  }
}
