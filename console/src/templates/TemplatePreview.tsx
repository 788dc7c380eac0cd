import { Alert, Code, Grid, Group, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../api/client'
import { keyOf, type RecordOf, useRecord } from '../api/queries'
import { Awaited } from '../parts/Awaited'
import { ErrorAlert } from '../parts/ErrorAlert'
import { Facts } from '../parts/Facts'
import { MessageView } from '../parts/MessageView'
import { Section } from '../parts/Section'
import { useMay } from '../session/me'
import { TEMPLATE_TEXTS as TEXTS } from '../texts/templates'
import { placeholdersIn, textOf, typedValue, type VariableType } from './values'

type Template = RecordOf<'/templates/{template_id}'>
type Version = RecordOf<'/templates/{template_id}/versions/{version_id}'>

const TYPING_MS = 500

/** What an email would say, with the values that are typed beside it. */
export function TemplatePreview({ template, versionId }: { template: Template; versionId: string }) {
  const read = useRecord('/templates/{template_id}/versions/{version_id}', {
    path: { template_id: template.id, version_id: versionId },
  })
  return read.data ? <Filled templateId={template.id} version={read.data} /> : <Awaited read={read} />
}

function Filled({ templateId, version }: { templateId: string; version: Version }) {
  const may = useMay()
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const [values] = useDebouncedValue(typed, TYPING_MS)
  const asked = askedOf(version)
  const variables = Object.fromEntries(
    asked.flatMap(({ key, type }) => (values[key] ? [[key, typedValue(type, values[key])] as const] : [])),
  )
  const rendered = useQuery({
    queryKey: keyOf('/templates/{template_id}/render', { templateId, versionId: version.id, variables }),
    queryFn: () =>
      answer(
        api.POST('/templates/{template_id}/render', {
          params: { path: { template_id: templateId } },
          body: { version_id: version.id, variables },
        }),
      ),
    enabled: may('templates:write'),
    placeholderData: keepPreviousData,
    retry: false,
  })
  // People who may only read see the placeholders as they are written.
  const shown = rendered.data ?? version
  return (
    <Section title={TEXTS.preview}>
      <Grid>
        <Grid.Col span={{ base: 12, lg: asked.length > 0 ? 8 : 12 }} order={{ base: 2, lg: 1 }}>
          <Content shown={shown} source={version.html} />
        </Grid.Col>
        {asked.length > 0 && (
          <Grid.Col span={{ base: 12, lg: 4 }} order={{ base: 1, lg: 2 }}>
            <Stack gap="sm">
              <div>
                <Text component="h3" fw={600} m={0}>
                  {TEXTS.values}
                </Text>
                <Text size="sm" c="dimmed">
                  {TEXTS.valuesHint}
                </Text>
              </div>
              {rendered.error && <ErrorAlert error={rendered.error} />}
              {asked.map(({ key, type, fallback }) => (
                <TextInput
                  key={key}
                  label={key}
                  description={type === 'string' ? undefined : type}
                  placeholder={fallback}
                  value={typed[key] ?? ''}
                  onChange={({ currentTarget }) => setTyped({ ...typed, [key]: currentTarget.value })}
                />
              ))}
              {rendered.data && rendered.data.missing.length > 0 && (
                <Alert color="orange">
                  <Group gap={4}>
                    {TEXTS.missing}
                    {rendered.data.missing.map((name) => (
                      <Code key={name}>{name}</Code>
                    ))}
                  </Group>
                </Alert>
              )}
            </Stack>
          </Grid.Col>
        )}
      </Grid>
    </Section>
  )
}

type Asked = { key: string; type: VariableType; fallback: string }

/** The declared variables, then placeholders that are not declared. */
function askedOf({ variables, subject, html, text }: Version): Asked[] {
  const declared = variables.map(({ key, type, fallback_value }) => ({ key, type, fallback: textOf(fallback_value) }))
  const known = new Set(declared.map(({ key }) => key))
  const others = placeholdersIn(subject ?? '', html, text ?? '').filter((name) => !known.has(name))
  return [...declared, ...others.map((key) => ({ key, type: 'string' as const, fallback: '' }))]
}

type ContentProps = { shown: { subject: string | null; html: string; text: string | null }; source: string }

const Content = ({ shown, source }: ContentProps) => (
  <Stack>
    <Facts facts={[[TEXTS.subject, shown.subject ?? TEXTS.noSubject]]} />
    <MessageView html={shown.html} text={shown.text} source={source} title={TEXTS.preview} empty={TEXTS.noHtml} />
    {shown.text === null && (
      <Text size="sm" c="dimmed">
        {TEXTS.textFromHtml}
      </Text>
    )}
  </Stack>
)
