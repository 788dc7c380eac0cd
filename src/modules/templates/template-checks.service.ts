// What to look at before a template is published.

import type { PlatformContext } from '../../http/platform.context.ts'
import { isLong } from '../../lib/main-thread.ts'
import { checkHtml, checkSize } from '../../mail/checks/html-checks.ts'
import type { MailCheck } from '../../mail/checks/mail-checks.ts'
import type { TextWork } from '../../mail/text-tasks.ts'
import type { AudienceContext } from '../audience/audience.context.ts'
import { explainedTemplateWarnings } from './template-fields.ts'
import type { TemplateContent } from './template-versions.repository.ts'
import type { TemplatesContext } from './templates.context.ts'

type Context = PlatformContext & AudienceContext & TemplatesContext
export type CheckedMail = { checks: MailCheck[]; htmlBytes: number | null }

/** Its HTML is measured as it is written: what stands for its placeholders, and who sends it, is not known. */
export async function checkTemplate(
  { repositories, gateways }: Pick<Context, 'repositories' | 'gateways'>,
  teamId: string,
  { subject, html, text, variables }: Pick<TemplateContent, 'subject' | 'html' | 'text' | 'variables'>,
): Promise<CheckedMail> {
  const properties = await repositories.contactProperties.all(teamId)
  const warnings = await explainedTemplateWarnings([subject, html, text], { properties, variables })
  const htmlBytes = Buffer.byteLength(html)
  return {
    checks: [
      ...warnings.map(({ code, message, about = null }): MailCheck => ({ code, level: 'warning', message, about })),
      ...(await checkHtmlOf(gateways.texts, teamId, html)),
      ...checkSize(htmlBytes),
    ],
    htmlBytes,
  }
}

/** Long HTML is read in a thread. */
export const checkHtmlOf = (texts: Pick<TextWork, 'do'>, teamId: string, html: string): Promise<MailCheck[]> =>
  isLong(html) ? texts.do(teamId, { kind: 'htmlChecks', html }, { isOfRequest: true }) : checkHtml(html)
