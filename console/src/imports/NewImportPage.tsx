import { Button, FileInput, Group, Radio, Select, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { FileUp } from 'lucide-react'
import { useState } from 'react'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { useAllRows } from '../api/queries'
import { ErrorAlert } from '../parts/ErrorAlert'
import { Page } from '../parts/Page'
import { Section } from '../parts/Section'
import { useRefusal } from '../parts/use-refusal'
import { useListedSegments } from '../segments/listed-segments'
import { useMay } from '../session/me'
import { useGo } from '../shell/address'
import { IMPORT_TEXTS as TEXTS } from '../texts/imports'
import { ColumnChoices } from './ColumnChoices'
import { columnMapOf, likelyChoices } from './column-choices'
import { type FileHead, headOf } from './csv'

type Chosen = { file: File; head: FileHead }

/** Fields as the API calls them: what it refuses stands at the one that it names. `name`: of a new segment. */
type Values = { segments: string | null; name: string; on_conflict: 'upsert' | 'skip' }

export default function NewImportPage() {
  const may = useMay()
  const go = useGo()
  const properties = useAllRows('/contact-properties', { isEnabled: may('contact-properties:read') }).rows
  const segments = useListedSegments({ isEnabled: may('segments:read') })
  const [chosen, setChosen] = useState<Chosen | null>(null)
  /** What someone chose, keyed by the number of the column. */
  const [picked, setPicked] = useState<ReadonlyMap<number, string>>(new Map())
  const form = useForm<Values>({ initialValues: { segments: null, name: '', on_conflict: 'upsert' } })

  // The properties may be read later than the file, and than someone picks.
  const keys = properties.map(({ key }) => key)
  const choices = chosen === null ? [] : likelyChoices(chosen.head.names, keys).map((likely, column) => picked.get(column) ?? likely)

  const look = async (file: File | null) => {
    setChosen(null)
    form.clearErrors()
    if (file === null) return
    try {
      const head = await headOf(file)
      if (head.names.length === 0) return form.setFieldError('file', TEXTS.noColumns)
      setChosen({ file, head })
      setPicked(new Map())
    } catch {
      form.setFieldError('file', TEXTS.unreadable)
    }
  }

  const start = useAct({
    run: async ({ file, head, values }: Chosen & { values: Values }) => {
      const name = values.name.trim()
      const id = name === '' ? values.segments : (await answer(api.POST('/segments', { body: { name } }))).id
      // If the file is refused, the segment that was made for it is there to be chosen.
      form.setValues({ segments: id, name: '' })
      return answer(
        api.POST('/contacts/imports', {
          body: {
            file: file as unknown as string,
            ...{ column_map: columnMapOf(head.names, choices), on_conflict: values.on_conflict },
            segments: id === null ? [] : [{ id }],
          },
          bodySerializer: formOf,
        }),
      )
    },
    done: TEXTS.accepted,
    changes: ['contacts', 'segments', 'contact-properties'],
    onDone: ({ id }) => go(`/imports/${id}`),
    isSilent: true,
  })
  const refusal = useRefusal(form, start.error)

  return (
    <Page title={TEXTS.startTitle} back={{ to: '/imports', name: TEXTS.title }}>
      <form
        ref={refusal.around}
        onSubmit={form.onSubmit((values) => {
          if (chosen !== null) start.mutate({ ...chosen, values })
        })}
      >
        <Stack>
          {refusal.error && <ErrorAlert error={refusal.error} ref={refusal.alert} />}
          <FileInput
            label={TEXTS.file}
            description={TEXTS.fileHint}
            placeholder={TEXTS.choose}
            accept=".csv,.txt,.tsv,text/csv"
            leftSection={<FileUp size={16} />}
            clearable
            maw={560}
            value={chosen?.file ?? null}
            onChange={(file) => void look(file)}
            data-path="file"
            error={form.errors.file}
          />
          {chosen !== null && (
            <>
              <Section title={TEXTS.columns}>
                <ColumnChoices
                  head={chosen.head}
                  choices={choices}
                  onChange={(column, choice) => {
                    setPicked(new Map(picked).set(column, choice))
                    form.clearErrors()
                  }}
                  properties={properties}
                  errors={form.errors}
                />
              </Section>
              {segments.length > 0 && (
                <Select
                  label={TEXTS.segment}
                  searchable
                  clearable
                  maw={480}
                  disabled={form.values.name.trim() !== ''}
                  data={segments.map(({ id, name }) => ({ value: id, label: name }))}
                  {...form.getInputProps('segments')}
                />
              )}
              {may('segments:write') && (
                <TextInput
                  label={segments.length > 0 ? TEXTS.newSegment : TEXTS.segment}
                  description={TEXTS.newSegmentHint}
                  maw={480}
                  {...form.getInputProps('name')}
                />
              )}
              <Radio.Group label={TEXTS.known} {...form.getInputProps('on_conflict')}>
                <Stack gap={6} mt={6}>
                  <Radio value="upsert" label={TEXTS.onConflict.upsert} />
                  <Radio value="skip" label={TEXTS.onConflict.skip} />
                </Stack>
              </Radio.Group>
              <Text size="sm">{TEXTS.optOuts}</Text>
              <Group>
                <Button type="submit" loading={start.isPending}>
                  {TEXTS.importNow}
                </Button>
                {start.isPending && <Text role="status">{TEXTS.sending}</Text>}
              </Group>
            </>
          )}
        </Stack>
      </form>
    </Page>
  )
}

/** A form of several parts: the file is the last, so that what it is for is known before it is read. */
function formOf(body: { file?: unknown; column_map?: object; on_conflict?: string; segments?: object[] }): FormData {
  const form = new FormData()
  form.set('column_map', JSON.stringify(body.column_map ?? {}))
  form.set('on_conflict', body.on_conflict ?? 'upsert')
  form.set('segments', JSON.stringify(body.segments ?? []))
  form.set('file', body.file as File)
  return form
}
