import {
  Alert,
  Anchor,
  Badge,
  Button,
  CloseButton,
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  ModalHeader,
  NavLink,
  Notification,
  parseThemeColor,
  SegmentedControl,
  Table,
  Text,
  type VariantColorsResolver,
} from '@mantine/core'

/** A text of this color that can be read: darker, or in the dark lighter, than the kit's (WCAG 2.2, 1.4.3). */
export const textOf = (color: string): string =>
  `light-dark(color-mix(in srgb, var(--mantine-color-${color}-9), black 30%), var(--mantine-color-${color}-2))`

/** Tinted badges and buttons. */
const variantColorResolver: VariantColorsResolver = (input) => {
  const colors = defaultVariantColorsResolver(input)
  if (input.variant !== 'light' && input.variant !== 'subtle') return colors
  const { color } = parseThemeColor({ color: input.color ?? input.theme.primaryColor, theme: input.theme })
  return { ...colors, color: textOf(color) }
}

export const CSS_VARIABLES: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-placeholder': 'var(--mantine-color-gray-7)',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
  },
  dark: {
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
    '--mantine-color-placeholder': 'var(--mantine-color-dark-1)',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
  },
})

/** Everything that looks other than the kit's own. */
export const THEME = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 8, dark: 8 },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  defaultRadius: 'md',
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '1.375rem' }, h2: { fontSize: '1rem' }, h3: { fontSize: '0.9rem' } },
  },
  autoContrast: true,
  respectReducedMotion: true,
  variantColorResolver,
  components: {
    // Links stand on a tint in it.
    Alert: Alert.extend({ styles: { root: { '--mantine-color-anchor': textOf('indigo') } as Record<`--${string}`, string> } }),
    Anchor: Anchor.extend({ defaultProps: { underline: 'hover' } }),
    CloseButton: CloseButton.extend({ defaultProps: { 'aria-label': 'Close' } as Record<`data-${string}`, string> }),
    Badge: Badge.extend({ defaultProps: { tt: 'none', fw: 500 }, styles: { root: { letterSpacing: 0, fontSize: '0.75rem' } } }),
    Button: Button.extend({ defaultProps: { size: 'sm', fw: 500 } }),
    Notification: Notification.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } }),
    // A dialog is no page: its head is not a second banner.
    ModalHeader: ModalHeader.extend({ defaultProps: { role: 'presentation' } }),
    // Its words change with the rest of the page.
    SegmentedControl: SegmentedControl.extend({ defaultProps: { transitionDuration: 0 } }),
    // Its text stays readable where the pointer is on the section that is shown.
    NavLink: NavLink.extend({
      defaultProps: { py: 2, px: 'xs' },
      styles: { root: { borderRadius: 'var(--mantine-radius-sm)' } },
      vars: () => ({
        root: {
          '--nl-color': 'light-dark(color-mix(in srgb, var(--mantine-color-indigo-9), black 30%), var(--mantine-color-indigo-1))',
          // The pointer on the section that is shown changes nothing.
          '--nl-hover': 'var(--nl-bg, var(--mantine-primary-color-light))',
        },
        children: {},
      }),
    }),
    // As long as what it says is read, not looked for.
    Text: Text.extend({ defaultProps: { size: 'sm' } }),
    Table: Table.extend({
      defaultProps: { highlightOnHover: true, verticalSpacing: 'xs' },
      styles: { th: { color: 'var(--mantine-color-dimmed)', fontWeight: 500, fontSize: 'var(--mantine-font-size-xs)' } },
    }),
  },
})
