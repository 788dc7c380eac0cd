// What the pages of templates show, read for the team of the session.
import type { Context } from '../../context.ts'
import { notFound } from '../../lib/failure.ts'
import { createId, isId } from '../../lib/ids.ts'
import type { TakeRoom } from '../../lib/limits/shared-room.ts'
import { hasRemoteImages } from '../../modules/sharing/frame/framed-html.ts'
import { askedVariables } from '../../modules/templates/filled-template.ts'
import type { TemplateRow, VersionRow } from '../../modules/templates/template-versions.repository.ts'
import { TEMPLATE_VERSIONS, TEMPLATES, VERSIONS_KEPT_MAX } from '../../modules/templates/templates.schema.ts'
import { findWarnings, renderTemplate } from '../../modules/templates/templates.service.ts'
import { attempt } from '../shell/form-attempt.ts'
import { LINES_PER_PAGE } from '../shell/pager.ts'
import type { TemplateListView } from './list-page.ts'
import { type PreviewPlace, valuesOf } from './preview-values.ts'
import type { TemplateView } from './template-page.ts'
import type { Preview } from './template-preview.ts'

export const NEWEST: PreviewPlace = { version: null, typed: {}, view: 'html', remote: false }

/** All of them, with the one that is sent. */
const ALL_VERSIONS = { limit: VERSIONS_KEPT_MAX + 1, after: null, before: null }

/** A glance at what it is used for. */
const EMAILS_SHOWN_MAX = 20

export function templateViews({ repositories, gateways, clock }: Pick<Context, 'repositories' | 'gateways' | 'clock'>) {
  const { emailLines, templates, templateVersions } = repositories

  const teamName = async (teamId: string): Promise<string> => (await repositories.teams.find(teamId))?.name ?? ''

  /** @throws Failure `notFound`, also for the template of another team. */
  async function find(teamId: string, id: string): Promise<TemplateRow> {
    const template = isId(id) ? await templates.find(teamId, { id: id.toLowerCase() }) : null
    if (!template) throw notFound(TEMPLATES.noun)
    return template
  }

  /** @throws Failure `notFound` */
  async function versionOf(teamId: string, id: string, versionId: string | null): Promise<VersionRow> {
    if (versionId !== null && !isId(versionId)) throw notFound(TEMPLATE_VERSIONS.noun)
    const found = await templateVersions.find(teamId, { id }, versionId?.toLowerCase() ?? null)
    if (typeof found === 'string') throw notFound(found === 'no template' ? TEMPLATES.noun : TEMPLATE_VERSIONS.noun)
    return found.version
  }

  async function preview(
    teamId: string,
    id: string,
    { place, version, takeRoom }: { place: PreviewPlace; version: VersionRow; takeRoom: TakeRoom },
  ): Promise<Preview> {
    const asked = askedVariables([version.subject, version.html, version.text], version.variables)
    const values = valuesOf(place.typed, asked)
    const result = await attempt(() =>
      renderTemplate({ repositories, gateways }, teamId, { reference: { id }, versionId: version.id, values, takeRoom }),
    )
    if ('problem' in result) return { place, asked, filled: null, hasRemoteImages: false, problem: result.problem }
    if (typeof result.done === 'string') throw notFound(TEMPLATE_VERSIONS.noun)
    const { filled } = result.done
    const isOfHtml = place.view === 'html'
    return { place, asked, filled, hasRemoteImages: isOfHtml && (await hasRemoteImages(gateways, teamId, filled.html)), problem: null }
  }

  return {
    teamName,
    find,

    async list(teamId: string, { after, before }: { after: string | null; before: string | null }): Promise<TemplateListView> {
      const page = await templates.list(teamId, { limit: LINES_PER_PAGE, after, before })
      return { teamName: await teamName(teamId), now: clock.now(), page, after: after ?? before, note: '' }
    },

    async template(teamId: string, id: string, { place, takeRoom }: { place: PreviewPlace; takeRoom: TakeRoom }): Promise<TemplateView> {
      const { content: _content, ...template } = await find(teamId, id)
      const version = await versionOf(teamId, template.id, place.version)
      const versions = await templateVersions.list(teamId, { id: template.id }, ALL_VERSIONS)
      return {
        teamName: await teamName(teamId),
        now: clock.now(),
        template,
        formId: createId(clock),
        shown: version,
        warnings: await findWarnings(repositories, teamId, version),
        preview: await preview(teamId, template.id, { place, version, takeRoom }),
        versions: versions?.rows ?? [],
        emails: await emailLines.ofTemplate(teamId, template.id, EMAILS_SHOWN_MAX),
        problem: null,
        note: '',
      }
    },

    /** @throws Failure if a value is refused */
    async html(teamId: string, id: string, { place, takeRoom }: { place: PreviewPlace; takeRoom: TakeRoom }): Promise<string> {
      const template = await find(teamId, id)
      const version = await versionOf(teamId, template.id, place.version)
      const { filled } = await preview(teamId, template.id, { place, version, takeRoom })
      return filled?.html ?? ''
    },
  }
}
