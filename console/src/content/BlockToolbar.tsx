import { ActionIcon, Button, Divider, Group, Menu, Modal, Popover, Stack, TextInput } from '@mantine/core'
import { type Editor, useCurrentEditor, useEditorState } from '@tiptap/react'
import {
  AlignCenter,
  AlignLeft,
  AlignRight,
  Bold,
  Columns2,
  Columns3,
  Heading1,
  Heading2,
  ImageIcon,
  Italic,
  LinkIcon,
  List,
  ListOrdered,
  type LucideIcon,
  Minus,
  MousePointerClick,
  Pilcrow,
  Plus,
  Quote,
  RectangleHorizontal,
  Redo2,
  Underline,
  Undo2,
} from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { ImagePicker } from '../images/ImagePicker'
import type { StoredImage } from '../images/image-files'
import { CONTENT_EDITOR_TEXTS as TEXTS } from '../texts/content'
import { addressOf } from './clean-document'
import { alignSelection, insertImage } from './editor-extensions'

const SIZE = 16

type Chain = ReturnType<Editor['chain']>

const BLOCKS: readonly [string, LucideIcon, (chain: Chain) => Chain][] = [
  [TEXTS.paragraph, Pilcrow, (chain) => chain.setParagraph()],
  [TEXTS.heading, Heading1, (chain) => chain.toggleHeading({ level: 1 })],
  [TEXTS.subheading, Heading2, (chain) => chain.toggleHeading({ level: 2 })],
  [TEXTS.bullets, List, (chain) => chain.toggleBulletList()],
  [TEXTS.numbers, ListOrdered, (chain) => chain.toggleOrderedList()],
  [TEXTS.quote, Quote, (chain) => chain.toggleBlockquote()],
  [TEXTS.button, MousePointerClick, (chain) => chain.setButton()],
  [TEXTS.divider, Minus, (chain) => chain.setHorizontalRule()],
  [TEXTS.columns2, Columns2, (chain) => chain.insertColumns(2)],
  [TEXTS.columns3, Columns3, (chain) => chain.insertColumns(3)],
  [TEXTS.section, RectangleHorizontal, (chain) => chain.insertSection()],
]

const ALIGNMENTS = [
  ['left', AlignLeft],
  ['center', AlignCenter],
  ['right', AlignRight],
] as const

/** What a menu of the selection and of the slash offer too, for those who look for buttons. */
export function BlockToolbar() {
  const { editor } = useCurrentEditor()
  const state = useEditorState({ editor, selector: ({ editor: current }) => stateOf(current) })
  const [isChoosing, setChoosing] = useState(false)
  const [chosen, setChosen] = useState<StoredImage | null>(null)
  if (!editor || !state) return null
  const run = (act: (chain: Chain) => Chain) => act(editor.chain().focus()).run()
  const mark = (label: string, Icon: LucideIcon, isActive: boolean, act: (chain: Chain) => Chain) => (
    <ActionIcon
      variant={isActive ? 'light' : 'subtle'}
      color={isActive ? undefined : 'gray'}
      aria-label={label}
      aria-pressed={isActive}
      title={label}
      onClick={() => run(act)}
    >
      <Icon size={SIZE} />
    </ActionIcon>
  )
  return (
    <Stack gap={0}>
      <Group role="toolbar" aria-label={TEXTS.toolbar} gap={4} p={6}>
        <Menu position="bottom-start" returnFocus={false}>
          <Menu.Target>
            <Button size="xs" variant="default" leftSection={<Plus size={SIZE} />}>
              {TEXTS.add}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {BLOCKS.map(([label, Icon, act]) => (
              <Menu.Item key={label} leftSection={<Icon size={SIZE} />} onClick={() => run(act)}>
                {label}
              </Menu.Item>
            ))}
            <Menu.Item leftSection={<ImageIcon size={SIZE} />} onClick={() => setChoosing(true)}>
              {TEXTS.image}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
        <Divider orientation="vertical" />
        {mark(TEXTS.bold, Bold, state.isBold, (chain) => chain.toggleBold())}
        {mark(TEXTS.italic, Italic, state.isItalic, (chain) => chain.toggleItalic())}
        {mark(TEXTS.underline, Underline, state.isUnderline, (chain) => chain.toggleUnderline())}
        <LinkButton editor={editor} address={state.address} />
        <Divider orientation="vertical" />
        {ALIGNMENTS.map(([alignment, Icon]) => (
          <ActionIcon
            key={alignment}
            variant={state.alignment === alignment ? 'light' : 'subtle'}
            color={state.alignment === alignment ? undefined : 'gray'}
            aria-label={TEXTS.align[alignment]}
            title={TEXTS.align[alignment]}
            onClick={() => alignSelection(editor, alignment)}
          >
            <Icon size={SIZE} />
          </ActionIcon>
        ))}
        <Divider orientation="vertical" />
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={TEXTS.undo}
          title={TEXTS.undo}
          disabled={!state.canUndo}
          onClick={() => run((chain) => chain.undo())}
        >
          <Undo2 size={SIZE} />
        </ActionIcon>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={TEXTS.redo}
          title={TEXTS.redo}
          disabled={!state.canRedo}
          onClick={() => run((chain) => chain.redo())}
        >
          <Redo2 size={SIZE} />
        </ActionIcon>
      </Group>
      <ImagePicker
        isOpen={isChoosing}
        onClose={() => {
          setChoosing(false)
          editor.commands.focus()
        }}
        onChoose={(image) => {
          setChoosing(false)
          setChosen(image)
        }}
      />
      <AltQuestion
        image={chosen}
        onAnswer={(alt) => {
          if (chosen && alt !== null) insertImage(editor, chosen, alt)
          else editor.commands.focus()
          setChosen(null)
        }}
      />
      {state.button && <ButtonAddress key={state.button.position} editor={editor} address={state.button.address} />}
      {state.alt !== null && (
        <TextInput
          label={TEXTS.alt}
          description={TEXTS.altHint}
          px={6}
          pb={6}
          value={state.alt}
          onChange={({ currentTarget }) => editor.commands.updateAttributes('image', { alt: currentTarget.value })}
        />
      )}
    </Stack>
  )
}

type AltQuestionProps = { image: StoredImage | null; onAnswer: (alt: string | null) => void }

/** What the image shows is asked when it is put in: later no one thinks of it. */
function AltQuestion({ image, onAnswer }: AltQuestionProps) {
  const [alt, setAlt] = useState('')
  const insert = (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    onAnswer(alt.trim())
    setAlt('')
  }
  return (
    <Modal opened={image !== null} onClose={() => onAnswer(null)} title={TEXTS.image} returnFocus={false}>
      <form onSubmit={insert}>
        <Stack>
          <TextInput
            label={TEXTS.alt}
            description={TEXTS.altAsked}
            value={alt}
            onChange={({ currentTarget }) => setAlt(currentTarget.value)}
            data-autofocus
          />
          <Group justify="flex-end">
            <Button type="submit">{TEXTS.imageInsert}</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

function stateOf(editor: Editor | null) {
  if (!editor) return null
  const isButton = editor.isActive('button')
  const link = editor.getAttributes(isButton ? 'button' : editor.isActive('image') ? 'image' : 'link')
  // A new button leads to "#", which is nowhere.
  const address = typeof link.href === 'string' && link.href !== '#' ? link.href : ''
  return {
    isBold: editor.isActive('bold'),
    isItalic: editor.isActive('italic'),
    isUnderline: editor.isActive('underline'),
    address,
    /** Null if no button is selected. */
    button: isButton ? { address, position: editor.state.selection.$from.before() } : null,
    alignment: ['left', 'center', 'right'].find((alignment) => editor.isActive({ alignment })) ?? null,
    alt: editor.isActive('image') ? String(editor.getAttributes('image').alt ?? '') : null,
    canUndo: editor.can().undo(),
    canRedo: editor.can().redo(),
  }
}

/** A button without an address is of no use, so that it is asked for where the button is chosen. */
function ButtonAddress({ editor, address }: { editor: Editor; address: string }) {
  const [typed, setTyped] = useState(address)
  const isWrong = addressOf(typed) === null
  return (
    <TextInput
      label={TEXTS.buttonAddress}
      description={TEXTS.linkHint}
      error={isWrong && TEXTS.linkUnsafe}
      placeholder="https://"
      px={6}
      pb={6}
      value={typed}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value)
        const href = addressOf(value)
        if (href !== null) editor.commands.updateAttributes('button', { href: href || '#' })
      }}
    />
  )
}

/** The link of the selected words, or of the button or image that is selected. */
function LinkButton({ editor, address }: { editor: Editor; address: string }) {
  const [isOpen, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const href = addressOf(typed)
  const set = (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    if (href === null) return
    const node = ['button', 'image'].find((name) => editor.isActive(name))
    if (node !== undefined)
      editor
        .chain()
        .focus()
        .updateAttributes(node, { href: href === '' && node === 'image' ? null : href })
        .run()
    else if (href === '') editor.chain().focus().extendMarkRange('link').unsetLink().run()
    else editor.chain().focus().extendMarkRange('link').setLink({ href }).run()
    setOpen(false)
  }
  return (
    <Popover opened={isOpen} onChange={setOpen} trapFocus position="bottom-start" withArrow>
      <Popover.Target>
        <ActionIcon
          variant={address === '' ? 'subtle' : 'light'}
          color={address === '' ? 'gray' : undefined}
          aria-label={TEXTS.link}
          title={TEXTS.link}
          onClick={() => {
            setTyped(address)
            setOpen(!isOpen)
          }}
        >
          <LinkIcon size={SIZE} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <Group component="form" align="flex-end" gap="xs" onSubmit={set as never}>
          <TextInput
            label={TEXTS.linkAddress}
            description={TEXTS.linkHint}
            error={href === null && TEXTS.linkUnsafe}
            w={320}
            maw="70vw"
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            data-autofocus
          />
          <Button type="submit">{TEXTS.apply}</Button>
        </Group>
      </Popover.Dropdown>
    </Popover>
  )
}
