// The mail of the installation of a test: what would have been sent, in its order.
import type { Context } from '../../../src/context.ts'
import type { InstallationMail } from '../../../src/modules/accounts/people/installation-mail.service.ts'
import { until } from '../clocks/until.ts'

export type SentMails = { all: InstallationMail[]; next: () => Promise<InstallationMail> }

/** Keeps each mail in place of sending it. */
export function keepInstallationMails({ installationMails }: Pick<Context, 'installationMails'>): SentMails {
  const all: InstallationMail[] = []
  let taken = 0
  installationMails.send = async (mail) => {
    await mail.begin?.()
    all.push(mail)
    return null
  }
  return {
    all,
    async next() {
      await until(() => {
        if (all.length <= taken) throw new Error('No mail')
      })
      return all[taken++] as InstallationMail
    },
  }
}
