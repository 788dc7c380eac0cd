// Importing a file in two steps: it is uploaded, and then its columns are chosen. Until then it is a file without an import, which is removed after
// a day. The import gets the id of its file, so that a form that is sent twice imports once.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import { isDuplicate } from '../../db/database-errors.ts'
import { FormUsed } from '../../db/used-forms.ts'
import { invalid, notFound } from '../../lib/failure.ts'
import { createId, isId } from '../../lib/ids.ts'
import { createBodyReader } from '../../lib/validation/body-validator.ts'
import { requireSession } from '../../modules/accounts/sessions/sessions.pages.ts'
import { acceptContactImport, type ImportFile, readColumnNames } from '../../modules/audience/imports/imports.service.ts'
import { SegmentCreate } from '../../modules/audience/segments/segments.schema.ts'
import { createSegment } from '../../modules/audience/segments/segments.service.ts'
import { attempt, refuse } from '../shell/form-attempt.ts'
import { formIdOf } from '../shell/form-ids.ts'
import { formProblem } from '../shell/form-problem.ts'
import { type ImportForm, importOf, likelyChoices } from './column-choices.ts'
import { type ColumnsView, columnsPage } from './columns-page.ts'
import { importList } from './import-routes.ts'
import { ADDRESS, pathOf } from './import-words.ts'
import { importListPage } from './list-page.ts'

const access = 'public' as const

/** A file without an import is kept for twice as long. */
const CHOOSING_MS = 12 * 60 * 60 * 1_000
/** The newest segments are offered. */
const SEGMENTS_OFFERED_MAX = 100
const NEWEST = { after: null, before: null }

const FileQuery = Type.Object({ file: Type.String() })
const ColumnsForm = Type.Record(Type.String(), Type.String())
const readSegment = createBodyReader(SegmentCreate)

export const uploadRoutes: FastifyPluginAsyncTypebox<Context> = async (app, context) => {
  const { repositories, gateways, links, clock, config } = context
  const upload = {
    part: 'file',
    bytesMax: config.importBytesMax,
    teamOf: (request: Parameters<typeof requireSession>[0]) => requireSession(request).teamId,
  }

  app.post('/upload', { config: { access, upload }, schema: { hide: true } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const file = request.upload?.take()
    const result = await attempt(async () => {
      if (!file) throw invalid('Choose a file first.')
      await readColumnNames(context, file)
      return file
    })
    if ('done' in result) return reply.redirect(`${ADDRESS}/new?${new URLSearchParams({ file: tokenOf(teamId, result.done) })}`, 303)
    if (file) await gateways.blobs.discard([file.blobKey])
    const { problem } = result
    return refuse(reply, problem).send(importListPage({ ...(await importList(context, teamId, NEWEST)), problem }))
  })

  // Where a refused file was shown: typing the address again leads back to the page.
  app.get('/upload', { config: { access }, schema: { hide: true } }, async (_request, reply) => reply.redirect(ADDRESS, 303))

  app.get('/new', { config: { access }, schema: { hide: true, querystring: FileQuery } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const token = request.query.file
    const file = fileOf(teamId, token)
    if (await repositories.contactImports.find(teamId, file.blobKey)) return reply.redirect(pathOf({ id: file.blobKey }), 303)
    return reply.send(columnsPage(await columnsView(teamId, token, file)))
  })

  app.post('/', { config: { access }, schema: { hide: true, body: ColumnsForm } }, async (request, reply) => {
    const { teamId } = requireSession(request)
    const { body: form } = request
    const token = form.file ?? ''
    const file = fileOf(teamId, token)
    const id = file.blobKey
    if (await repositories.contactImports.find(teamId, id)) return reply.redirect(pathOf({ id }), 303)
    const view = await columnsView(teamId, token, file)
    let answered = form
    const result = await attempt(async () => {
      const input = importOf(form, view.names)
      answered = await withNewSegment(teamId, form)
      return acceptContactImport(context, teamId, { id, file, input: answered === form ? input : importOf(answered, view.names) })
    }).catch(async (error: unknown) => {
      const isRepeated = error instanceof FormUsed
      // One form was sent twice at once.
      if (isDuplicate(error) || (isRepeated && (await repositories.contactImports.find(teamId, id)))) return { done: { id } }
      // The columns were refused the first time, and the form of that time was sent.
      answered = { ...form, new_segment: '' }
      const problem = isRepeated ? formProblem(invalid('The new segment was already created. Choose it.')) : null
      if (problem === null) throw error
      return { problem }
    })
    if ('done' in result) return reply.redirect(pathOf(result.done), 303)
    const { problem } = result
    // A segment that was made for it is there to be chosen.
    const shown = answered === form ? view : await columnsView(teamId, token, file)
    return refuse(reply, problem).send(columnsPage({ ...shown, form: answered, problem }))
  })

  /** The form with the new segment chosen, if it names one. */
  async function withNewSegment(teamId: string, form: ImportForm): Promise<ImportForm> {
    const typed = (form.new_segment ?? '').trim()
    if (typed === '') return form
    const { name } = readSegment({ name: typed })
    const { id } = await createSegment(context, teamId, { name, filter: null }, formIdOf(form, clock.now()))
    return { ...form, segment_id: id, new_segment: '' }
  }

  async function columnsView(teamId: string, token: string, file: ImportFile): Promise<ColumnsView> {
    const [names, properties, newest, team] = await Promise.all([
      readColumnNames(context, file),
      repositories.contactProperties.all(teamId),
      repositories.segments.newestToCount(teamId, SEGMENTS_OFFERED_MAX),
      repositories.teams.find(teamId),
    ])
    const form: ImportForm = likelyChoices(names, properties)
    const segments = newest.filter(({ filter }) => filter === null)
    return { teamName: team?.name ?? '', token, names, properties, segments, form, formId: createId(clock), problem: null }
  }

  /** The token is for the team whose session uploaded the file. A token of a session names no file, and this one no session. */
  const tokenOf = (teamId: string, { blobKey, bytes, encoding }: ImportFile): string =>
    links.sign('session', { teamId, uploaded: blobKey, bytes, encoding }, new Date(clock.now().getTime() + CHOOSING_MS))

  /** @throws Failure `notFound` for the file of another team, and `invalidLink` for what is no token */
  function fileOf(teamId: string, token: string): ImportFile {
    const { teamId: owner, uploaded, bytes, encoding } = links.open('session', token)
    if (owner !== teamId || typeof uploaded !== 'string' || !isId(uploaded) || typeof bytes !== 'number') throw notFound('File')
    return { blobKey: uploaded, bytes, encoding: encoding === 'windows-1252' ? encoding : 'utf-8' }
  }
}
