import { ActionIcon, Button, Group, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { useAllRows } from '../api/queries'
import { ContentEditor } from '../content/ContentEditor'
import type { Content, ContentState } from '../content/content'
import { NameField } from '../parts/NameField'
import { PageForm } from '../parts/PageForm'
import type { PageFormState } from '../parts/page-form'
import { Section } from '../parts/Section'
import { SenderField } from '../parts/SenderField'
import { useMay } from '../session/me'
import { AUTOSAVE_TEXTS } from '../texts/content'
import { CHECK_TEXTS } from '../texts/sending'
import { TEMPLATE_FORM_TEXTS as TEXTS, TEMPLATE_TEXTS as WORDS } from '../texts/templates'
import type { TemplateValues } from './template-form'
import { placeholdersIn, VARIABLE_TYPES } from './values'

type Form = UseFormReturnType<TemplateValues>

const NAME_LENGTH_MAX = 100
const VARIABLES_MAX = 50

type TemplateFormProps = {
  page: PageFormState<TemplateValues>
  content: ContentState
  /** The template that is changed; none while it is new. */
  ownId?: string
  saved?: ReactNode
  checks?: ReactNode
}

export function TemplateForm({ page, content, ownId, saved, checks }: TemplateFormProps) {
  const { form } = page
  const may = useMay()
  const others = useAllRows('/templates', { isEnabled: may('templates:read') }).rows
  const field = (name: keyof TemplateValues) => form.getInputProps(name)
  return (
    <PageForm {...page} {...(saved !== undefined && { leave: AUTOSAVE_TEXTS.close })}>
      <Section title={TEXTS.what}>
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <NameField
            others={others}
            ownId={ownId}
            taken={TEXTS.nameTaken}
            label={WORDS.name}
            description={TEXTS.nameHint}
            required
            maxLength={NAME_LENGTH_MAX}
            {...field('name')}
          />
          <TextInput label={WORDS.alias} description={TEXTS.aliasHint} maxLength={NAME_LENGTH_MAX} {...field('alias')} />
          <SenderField label={WORDS.from} description={TEXTS.fromHint} {...field('from')} />
          <TextInput label={WORDS.replyTo} description={TEXTS.replyToHint} {...field('reply_to')} />
        </SimpleGrid>
      </Section>
      <Section title={TEXTS.content}>
        <TextInput label={WORDS.subject} description={TEXTS.subjectHint} {...field('subject')} />
        <ContentEditor
          state={content}
          saved={saved}
          start="empty"
          htmlHint={TEXTS.htmlHint}
          variables={form.values.variables.map(({ key }) => key)}
        />
      </Section>
      {checks && <Section title={CHECK_TEXTS.title}>{checks}</Section>}
      <Section title={TEXTS.variables}>
        <Variables form={form} content={content.content} />
      </Section>
    </PageForm>
  )
}

function Variables({ form, content: { html, text } }: { form: Form; content: Content }) {
  const { subject, variables } = form.values
  const declared = new Set(variables.map(({ key }) => key))
  const found = placeholdersIn(subject, html, text).filter((name) => !declared.has(name))
  const add = (names: readonly string[]) =>
    form.setFieldValue('variables', [...variables, ...names.map((key) => ({ key, type: 'string' as const, fallback: '' }))])
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {TEXTS.variablesHint}
      </Text>
      {variables.map(({ key, type }, index) => (
        <Group key={form.key(`variables.${index}`)} align="flex-end" gap="xs">
          <TextInput label={TEXTS.key} w={{ base: '100%', sm: 220 }} required {...form.getInputProps(`variables.${index}.key`)} />
          <Select
            label={TEXTS.type}
            data={VARIABLE_TYPES.map((each) => each)}
            allowDeselect={false}
            w={{ base: '100%', sm: 130 }}
            {...form.getInputProps(`variables.${index}.type`)}
          />
          <TextInput
            label={TEXTS.fallback}
            placeholder={TEXTS.fallbackOf(type)}
            flex={1}
            {...form.getInputProps(`variables.${index}.fallback`)}
          />
          <ActionIcon
            variant="default"
            size={36}
            aria-label={TEXTS.removeVariable(key)}
            onClick={() => form.removeListItem('variables', index)}
          >
            <Trash2 size={16} />
          </ActionIcon>
        </Group>
      ))}
      <Group>
        <Button variant="default" size="xs" onClick={() => add([''])} disabled={variables.length >= VARIABLES_MAX}>
          {TEXTS.add}
        </Button>
        {found.length > 0 && (
          <Button variant="light" size="xs" onClick={() => add(found.slice(0, VARIABLES_MAX - variables.length))}>
            {TEXTS.addFound(found.slice(0, NAMES_SHOWN_MAX).join(', ') + (found.length > NAMES_SHOWN_MAX ? ' …' : ''))}
          </Button>
        )}
      </Group>
    </Stack>
  )
}
const NAMES_SHOWN_MAX = 5
