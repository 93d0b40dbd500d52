"""GPU fine-tuning planner: page set-up, navigation, the shared sidebar, then the page."""

import streamlit as st

from ui.compare_state import restore_saved
from ui.frame import notes, pages
from ui.inputs import sidebar
from ui.recommend_state import restore_limits
from ui.state import seed

st.set_page_config(page_title="GPU fine-tuning planner", page_icon="ui/icon.png", layout="wide")
seed()
restore_saved()
restore_limits()
page = st.navigation(pages(), position="top")
_, problem = sidebar(page.url_path)
notes(problem)
page.run()
