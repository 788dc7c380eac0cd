// Shows what a template would say, without sending it.
import type { Context } from '../context.ts'
import { invalid } from '../lib/failure.ts'
import type { TakeRoom } from '../lib/limits/shared-room.ts'
import type { TemplateReference } from '../lib/template-references.ts'
import { readShortContent } from '../mail/rendering/read-contents.ts'
import { FILLED_BYTES_MAX } from '../mail/rendering/rendering.ts'
import type { FilledTemplate } from '../mail/templates/filled-template.ts'
import type { VersionRow } from '../repositories/templates/template-rows.ts'
import type { VariableValues } from '../schemas/template-variables.ts'

/** @throws Failure about the first value that is wrong */
export async function renderTemplate(
  { repositories, gateways }: Pick<Context, 'repositories' | 'gateways'>,
  teamId: string,
  {
    reference,
    versionId,
    values,
    takeRoom,
  }: { reference: TemplateReference; versionId: string | null; values: VariableValues; takeRoom: TakeRoom },
): Promise<{ id: string; version: VersionRow; filled: FilledTemplate } | 'no template' | 'no version'> {
  const found = await repositories.templateVersions.find(teamId, reference, versionId)
  if (typeof found === 'string') return found
  const { version, templateId } = found
  const source = { subject: version.subject, html: version.html, text: version.text, previewText: null }
  const filled = await gateways.texts.fillTemplate(
    teamId,
    { versionId: null, source, content: await readShortContent(source) },
    { variables: version.variables, values, field: 'variables' },
    { isOfRequest: true },
  )
  if (filled === 'too long') throw invalid(TOO_LONG)
  takeRoom(Buffer.byteLength(filled.html) + Buffer.byteLength(filled.text ?? ''))
  return { id: templateId, version, filled }
}

const TOO_LONG = `The template has more than ${FILLED_BYTES_MAX / 1024 / 1024} MB of HTML and text once it is filled in. Send shorter values, or use fewer placeholders.`
