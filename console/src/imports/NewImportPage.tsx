import { Alert, Button, FileInput, Group, Radio, Select, Stack, Text, TextInput } from '@mantine/core'
import { FileUp } from 'lucide-react'
import { useState } from 'react'
import { sentenceOf, useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { useAllRows } from '../api/queries'
import { Page } from '../parts/Page'
import { Section } from '../parts/Section'
import { useMay } from '../session/me'
import { useGo } from '../shell/address'
import { IMPORT_TEXTS as TEXTS } from '../texts/imports'
import { ColumnChoices } from './ColumnChoices'
import { columnMapOf, likelyChoices } from './column-choices'
import { type FileHead, headOf } from './csv'

type Conflict = 'upsert' | 'skip'
type Chosen = { file: File; head: FileHead }

export default function NewImportPage() {
  const may = useMay()
  const go = useGo()
  const properties = useAllRows('/contact-properties', { isEnabled: may('contact-properties:read') }).rows
  const segments = useAllRows('/segments', { isEnabled: may('segments:read') }).rows
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [picked, setPicked] = useState<readonly string[] | null>(null)
  const [segmentId, setSegmentId] = useState<string | null>(null)
  const [newSegment, setNewSegment] = useState('')
  const [onConflict, setOnConflict] = useState<Conflict>('upsert')

  // Until someone picks: the properties may be read later than the file.
  const keys = properties.map(({ key }) => key)
  const choices = picked ?? (chosen === null ? [] : likelyChoices(chosen.head.names, keys))

  const look = async (file: File | null) => {
    setChosen(null)
    setProblem(null)
    if (file === null) return
    try {
      const head = await headOf(file)
      if (head.names.length === 0) return setProblem(TEXTS.noColumns)
      setChosen({ file, head })
      setPicked(null)
    } catch {
      setProblem(TEXTS.unreadable)
    }
  }

  const start = useAct({
    run: async ({ file, head }: Chosen) => {
      const name = newSegment.trim()
      const id = name === '' ? segmentId : (await answer(api.POST('/segments', { body: { name } }))).id
      // If the file is refused, the segment that was made for it is there to be chosen.
      setSegmentId(id)
      setNewSegment('')
      return answer(
        api.POST('/contacts/imports', {
          body: {
            file: file as unknown as string,
            ...{ column_map: columnMapOf(head.names, choices), on_conflict: onConflict },
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

  return (
    <Page title={TEXTS.startTitle} back={{ to: '/imports', name: TEXTS.title }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (chosen !== null) start.mutate(chosen)
        }}
      >
        <Stack>
          {(start.error || problem !== null) && (
            <Alert color="red" role="alert">
              {start.error ? sentenceOf(start.error) : problem}
            </Alert>
          )}
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
          />
          {chosen !== null && (
            <>
              <Section title={TEXTS.columns}>
                <ColumnChoices head={chosen.head} choices={choices} onChange={setPicked} properties={properties} />
              </Section>
              {segments.length > 0 && (
                <Select
                  label={TEXTS.segment}
                  searchable
                  clearable
                  maw={480}
                  disabled={newSegment.trim() !== ''}
                  data={segments.map(({ id, name }) => ({ value: id, label: name }))}
                  value={segmentId}
                  onChange={setSegmentId}
                />
              )}
              {may('segments:write') && (
                <TextInput
                  label={segments.length > 0 ? TEXTS.newSegment : TEXTS.segment}
                  description={TEXTS.newSegmentHint}
                  maw={480}
                  value={newSegment}
                  onChange={({ currentTarget }) => setNewSegment(currentTarget.value)}
                />
              )}
              <Radio.Group label={TEXTS.known} value={onConflict} onChange={(value) => setOnConflict(value === 'skip' ? 'skip' : 'upsert')}>
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
