def refresh(campaign_id): return False
def catch_up(): return 0
