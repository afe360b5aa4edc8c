import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./shell/app";
import { applyTheme } from "./shell/theme";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/pages.css";

applyTheme();
const root = document.getElementById("root");
if (root === null) throw new Error("the page has no #root");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
