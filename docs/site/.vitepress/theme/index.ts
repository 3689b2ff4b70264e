import DefaultTheme from "vitepress/theme"
import type { Theme } from "vitepress"
import Diagram from "./Diagram.vue"

const theme: Theme = {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => {
    app.component("Diagram", Diagram)
  },
}

export default theme
